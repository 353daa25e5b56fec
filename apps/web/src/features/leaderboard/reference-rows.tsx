import { peakShare, type ReferenceFigure } from '@tilemark/core';
import { isCeiling, KERNELS, shortAddress } from '@tilemark/kernels';
import { Address, kernelHref } from '@/features/kernels/address';
import { PROBLEM, rateColumn } from '@/features/results/columns';
import { problemText } from '@/features/sweeps/runs';
import { formatMoment, formatNs } from '@/ui/format';
import { Link } from '@/ui/link';
import { NoteMark, Notes } from '@/ui/note';
import { Badge } from '@/ui/notice';
import { DataTable } from '@/ui/table';

export const peakOf = ({ class: kind, hardware, ...of }: ReferenceFigure) =>
  peakShare({ ...of, device: { name: hardware ?? '', class: kind } });

/** Figures of reference on a page of their own subject: a kernel, a device, a sweep. */
export function ReferenceTable({
  figures,
  caption,
}: {
  figures: readonly ReferenceFigure[];
  caption: string;
}) {
  const sources = sourcesOf(figures);
  return (
    <>
      <DataTable
        caption={caption}
        rows={figures}
        keyOf={(figure) => `${keyOf(figure)} ${problemText(figure.problem)} ${figure.profile}`}
        columns={[
          {
            head: 'What ran',
            className: 'min-w-44',
            cell: (figure) => <FigureSource figure={figure} />,
          },
          PROBLEM,
          rateColumn(({ rate }: ReferenceFigure) => rate),
          { head: 'Median', isFigure: true, cell: ({ medianNs }) => formatNs(medianNs) },
          {
            head: 'Measured on',
            className: 'min-w-36',
            cell: (figure) => (
              <>
                {figure.hardware ?? 'Unknown hardware'}{' '}
                <NoteMark of={provenance(figure)} among={sources} />
              </>
            ),
          },
        ]}
      />
      <Notes of={sources} />
    </>
  );
}

export const keyOf = ({ by, hardware, imported, source }: ReferenceFigure): string =>
  JSON.stringify([hardware, by, source, imported?.at]);

/** What ran: a kernel, a library, or a report's own code. */
export function FigureSource({ figure: { by } }: { figure: ReferenceFigure }) {
  if (by.kind === 'library') {
    return (
      <>
        <Badge tone="neutral">library</Badge> {by.name}
        {by.version && <span className="block text-xs text-muted">{by.version}</span>}
      </>
    );
  }
  const isKnown = KERNELS.some(({ id }) => id === by.kernel);
  const address = <Address of={shortAddress(by.address)} isLink={isKnown} />;
  return (
    <>
      {by.kind === 'report' && <>“{by.label}” in the report, like </>}
      {isCeiling(by.kernel) && (
        <>
          <Badge tone="neutral">ceiling</Badge> a copy of as many bytes, not a transpose:{' '}
        </>
      )}
      {isKnown ? (
        <Link href={kernelHref(by.kernel)} title={by.address} className="group hover:text-accent">
          {address}
        </Link>
      ) : (
        <span title={by.address}>{address}</span>
      )}
    </>
  );
}

/** Where a figure comes from. */
export function provenance({ imported, measuredAt, source, unranked }: ReferenceFigure): string {
  const date = measuredAt?.slice(0, 10);
  return [
    source.replaceAll('`', ''),
    date && !source.includes(date) && `Measured ${date}.`,
    unranked && `Would not be ranked: ${unranked}.`,
    imported && `Imported by ${imported.by}, ${formatMoment(new Date(imported.at))}.`,
  ]
    .filter(Boolean)
    .join(' ');
}

/** Where figures come from, each source once: many figures share a long one. */
export const sourcesOf = (figures: readonly ReferenceFigure[]): string[] => [
  ...new Set(figures.map(provenance)),
];
