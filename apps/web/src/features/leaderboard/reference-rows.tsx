import { peakShare, type ReferenceFigure } from '@tilemark/core';
import { DTYPES, isCeiling, KERNELS, shapeText, shortAddress } from '@tilemark/kernels';
import { Address, kernelHref } from '@/features/kernels/address';
import { RoofText } from '@/features/results/outcome';
import { TextLink } from '@/ui/button';
import { Rate } from '@/ui/facts';
import { formatInterval, formatMoment, formatNs, formatRate, formatShape } from '@/ui/format';
import { Link } from '@/ui/link';
import { Badge } from '@/ui/notice';
import { DataTable } from '@/ui/table';
import { type Columns, columnCount, RateBar } from './row-parts';

export const ABOUT =
  'not measured by this grid, never ranked; libraries and reports have no profile, so every profile shows them; an interval is of one run, without the spread between runs';

/** Where the shipped figures are explained. */
const MORE = '/docs/performance-h200';

/** Figures of reference below the rows of a board, with columns as there. */
export function ReferenceRows({
  figures,
  full,
  columns,
}: {
  figures: readonly ReferenceFigure[];
  /** The rate of a full bar. */
  full: number;
  columns: Columns;
}) {
  const span = columnCount(columns);
  const sources = sourcesOf(figures, false);
  const [first] = figures;
  const isUnbounded =
    first && DTYPES[first.problem.dtype].peak === 'f16' && !figures.some((each) => peakOf(each));
  return (
    <tbody>
      <tr className="!bg-sunken text-2xs text-muted">
        <th scope="rowgroup" colSpan={2} className="!py-1">
          Reference
        </th>
        <td colSpan={span - 2} className="!py-1">
          {ABOUT} (<TextLink href={MORE}>how it was measured</TextLink>)
          {first && <>; a full bar is {formatRate(full)}</>}
          {first &&
            isUnbounded &&
            '; no % of peak: the vector rate of a data sheet does not bound matrix units'}
        </td>
      </tr>
      {figures.map((figure) => (
        <Row key={keyOf(figure)} {...{ figure, sources, full, columns }} />
      ))}
      {figures.length > 0 && (
        <tr>
          <td colSpan={span}>
            <Sources of={sources} />
          </td>
        </tr>
      )}
      {figures.length === 0 && (
        <tr>
          <td colSpan={span} className="text-muted">
            There is no reference for this problem.
          </td>
        </tr>
      )}
    </tbody>
  );
}

function Row({
  figure,
  sources,
  full,
  columns,
}: {
  figure: ReferenceFigure;
  sources: readonly string[];
  full: number;
  columns: Columns;
}) {
  const { interval, medianNs, rate } = figure;
  const peak = peakOf(figure);
  const source = provenance(figure, false);
  return (
    <tr>
      <td className="figure">–</td>
      <th scope="row" className="min-w-48">
        {figure.hardware ?? 'Unknown hardware'} <SourceMark text={source} among={sources} />
      </th>
      <td>
        <RateBar
          value={rate.value}
          {...(interval && {
            low: (rate.value * medianNs) / interval.highNs,
            high: (rate.value * medianNs) / interval.lowNs,
          })}
          max={full}
          text={formatRate(rate.value)}
          isRanked={false}
        />
      </td>
      {columns.metrics.map(({ id }) => (
        <td key={id} className="figure">
          {id === 'medianNs' ? (
            <>
              {formatNs(medianNs)}
              {interval && (
                <span className="block text-xs text-muted">
                  {formatInterval(medianNs, interval.lowNs, interval.highNs)}
                </span>
              )}
            </>
          ) : id === 'roofShare' && peak ? (
            <RoofText of={peak} />
          ) : (
            '–'
          )}
        </td>
      ))}
      {columns.hasNaive && <td className="figure">–</td>}
      {columns.hasSizes && <td className="text-muted">–</td>}
      <td className="min-w-44">
        <What figure={figure} />
      </td>
      <td className="figure whitespace-nowrap text-muted">
        {figure.measuredAt?.slice(0, 10) ?? '–'}
      </td>
    </tr>
  );
}

export const peakOf = ({ class: kind, hardware, ...of }: ReferenceFigure) =>
  peakShare({ ...of, device: { name: hardware ?? '', class: kind } });

/** Figures of reference on a page of their own subject: a kernel, a sweep. */
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
        keyOf={(figure) => `${keyOf(figure)} ${problemText(figure)} ${figure.profile}`}
        columns={[
          {
            head: 'What ran',
            className: 'min-w-44',
            cell: (figure) => <What figure={figure} />,
          },
          {
            head: 'Problem',
            className: 'whitespace-nowrap',
            cell: (figure) => (
              <>
                {problemText(figure)}
                {figure.profile && <span className="text-muted">, {figure.profile}</span>}
              </>
            ),
          },
          {
            head: 'Rate (higher is better)',
            isFigure: true,
            cell: ({ rate }) => <Rate of={rate} />,
          },
          { head: 'Median', isFigure: true, cell: ({ medianNs }) => formatNs(medianNs) },
          {
            head: 'Measured on',
            className: 'min-w-36',
            cell: (figure) => (
              <>
                {figure.hardware ?? 'Unknown hardware'}{' '}
                <SourceMark text={provenance(figure)} among={sources} />
              </>
            ),
          },
        ]}
      />
      <div className="mt-2">
        <Sources of={sources} />
      </div>
    </>
  );
}

const problemText = ({ problem }: ReferenceFigure): string =>
  `${problem.op} ${formatShape(shapeText(problem))} ${problem.dtype}`;

export const keyOf = ({ by, hardware, imported, source }: ReferenceFigure): string =>
  JSON.stringify([hardware, by, source, imported?.at]);

/** What ran: a kernel, a library, or a report's own code. */
export function What({ figure: { by } }: { figure: ReferenceFigure }) {
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

/**
 * Where a figure comes from.
 *
 * @param hasDate whether the date has no column of its own
 */
export function provenance(
  { imported, measuredAt, source, unranked }: ReferenceFigure,
  hasDate = true,
): string {
  const date = measuredAt?.slice(0, 10);
  return [
    source.replaceAll('`', ''),
    hasDate && date && !source.includes(date) && `Measured ${date}.`,
    unranked && `Would not be ranked: ${unranked}.`,
    imported && `Imported by ${imported.by}, ${formatMoment(new Date(imported.at))}.`,
  ]
    .filter(Boolean)
    .join(' ');
}

/** Where figures come from, each source once: many figures share a long one. */
export const sourcesOf = (figures: readonly ReferenceFigure[], hasDate = true): string[] => [
  ...new Set(figures.map((figure) => provenance(figure, hasDate))),
];

/** The number of a figure's source in the list below. */
export function SourceMark({ text, among }: { text: string; among: readonly string[] }) {
  return (
    <span title={text} className="text-xs font-normal whitespace-nowrap text-muted">
      <span className="sr-only">source </span>[{among.indexOf(text) + 1}]
    </span>
  );
}

export function Sources({ of }: { of: readonly string[] }) {
  return (
    <ol aria-label="Sources" className="space-y-0.5 text-xs font-normal text-muted">
      {of.map((text, index) => (
        <li key={text} className="break-words">
          [{index + 1}] {text}
        </li>
      ))}
    </ol>
  );
}
