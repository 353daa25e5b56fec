import type { ReferenceFigure } from '@tilemark/core';
import { isCeiling, shortAddress } from '@tilemark/kernels';
import { Address } from '@/features/kernels/address';
import { rateColumn } from '@/features/results/columns';
import { formatNs } from '@/ui/format';
import { NoteMark, Notes } from '@/ui/note';
import { Badge } from '@/ui/notice';
import { DataTable } from '@/ui/table';

/** Figures of reference, below the results that they stand beside. */
export function ReferenceTable({ figures }: { figures: readonly ReferenceFigure[] }) {
  const sources = sourcesOf(figures);
  return (
    <>
      <DataTable
        caption="Figures of reference"
        rows={figures}
        keyOf={({ by, hardware, source }) => JSON.stringify([hardware, by, source])}
        columns={[
          {
            head: 'What ran',
            className: 'min-w-44',
            cell: (figure) => <FigureSource figure={figure} />,
          },
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

/** What ran: a kernel, a library, or a report's own code. */
function FigureSource({ figure: { by } }: { figure: ReferenceFigure }) {
  if (by.kind === 'library') {
    return (
      <>
        <Badge tone="neutral">library</Badge> {by.name}
        {by.version && <span className="block text-xs text-muted">{by.version}</span>}
      </>
    );
  }
  return (
    <>
      {by.kind === 'report' && <>“{by.label}” in the report, like </>}
      {isCeiling(by.kernel) && (
        <>
          <Badge tone="neutral">ceiling</Badge> a copy of as many bytes, not a transpose:{' '}
        </>
      )}
      <span title={by.address}>
        <Address of={shortAddress(by.address)} />
      </span>
    </>
  );
}

/** Where a figure comes from. */
function provenance({ measuredAt, source, unranked }: ReferenceFigure): string {
  const date = measuredAt?.slice(0, 10);
  return [
    source.replaceAll('`', ''),
    date && !source.includes(date) && `Measured ${date}.`,
    unranked && `Would not be ranked: ${unranked}.`,
  ]
    .filter(Boolean)
    .join(' ');
}

/** Where figures come from, each source once: many figures share a long one. */
const sourcesOf = (figures: readonly ReferenceFigure[]): string[] => [
  ...new Set(figures.map(provenance)),
];
