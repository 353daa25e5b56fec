import type { HeatMap, HeatMapCell, ReferenceFigure } from '@tilemark/core';
import { KERNELS, opOf, shapeText } from '@tilemark/kernels';
import { DeviceName } from '@/features/devices/device-name';
import { kernelHref } from '@/features/kernels/address';
import { TextLink } from '@/ui/button';
import { formatNs, formatRate, formatShape } from '@/ui/format';
import { Badge } from '@/ui/notice';
import { TablePanel } from '@/ui/table';
import { type Faster, nameOf } from './faster-profile';
import { FasterUnder } from './faster-under';
import { type BoardQuery, boardHref } from './query';
import { MoreRows, shownRows } from './row-parts';

/**
 * Devices x kernels: the rate of each kernel's best variant, coloured by its share of the
 * device's best. The numbers say all; colour is for finding them.
 */
export function HeatMapTable({
  map,
  reference,
  repeated,
  others,
  faster,
  query,
}: {
  map: HeatMap;
  /** The fastest figure of each kernel, by hardware; not measured by this grid, never ranked. */
  reference: ReadonlyMap<string, readonly ReferenceFigure[]>;
  /** Hardware whose figures of reference were taken from results that the map shows. */
  repeated: readonly string[];
  /** Whose code else has figures of reference: libraries, reports. */
  others: readonly string[];
  faster: readonly Faster[];
  query: BoardQuery;
}) {
  const { problem, rows } = map;
  if (!problem) return null;
  const shown = new Set(map.kernels);
  for (const figure of [...reference.values()].flat()) shown.add(kernelOf(figure));
  const kernels = KERNELS.map(({ id }) => id).filter((id) => shown.has(id));
  const { rateUnit, title } = opOf(problem);
  const cells = rows.flatMap(({ cells }) => cells);
  const hasOwnRanked = cells.some(({ unranked }) => unranked === null);
  const hasRanked = reference.size > 0 || hasOwnRanked;
  return (
    <>
      <p className="mb-2 flex flex-wrap items-center gap-x-4 gap-y-1 text-xs text-muted">
        <span>
          {rateUnit(problem)} of each kernel’s best variant at its median, and its share of the
          device’s best; a share counts a wide interval at its slow end. Higher is better.
        </span>
        {hasRanked ? (
          <>
            <span className="inline-flex items-center gap-1.5">
              0%
              <span
                aria-hidden="true"
                className="inline-block h-3 w-24 rounded-tile border border-line"
                style={{ background: `linear-gradient(to right, transparent, ${HEAT})` }}
              />
              100%
            </span>
            <span>★ the best of its row</span>
          </>
        ) : (
          <span>Nothing here is ranked, so no cell is coloured.</span>
        )}
        {hasRanked && cells.some(({ unranked }) => unranked !== null) && (
          <span className="italic">not ranked</span>
        )}
        {cells.some(isAtSlowEnd) && (
          <span>† its share is counted at the slow end of its wide interval</span>
        )}
      </p>
      <FasterUnder faster={faster} query={query} problem={problem} />
      <TablePanel
        caption={`Devices and kernels: ${title}, ${formatShape(shapeText(problem))}, ${problem.dtype}, profile ${query.profile}`}
        stacks
        wraps
      >
        <thead>
          <tr>
            <th scope="col">Device</th>
            {kernels.map((kernel) => (
              <th key={kernel} scope="col" className="figure">
                <a className="hover:text-accent hover:underline" href={kernelHref(kernel)}>
                  {nameOf(kernel)}
                </a>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shownRows(rows, query).map(({ device, cells }) => (
            <tr key={device.key}>
              <th scope="row" className="min-w-40">
                <DeviceName device={device} />
              </th>
              {kernels.map((kernel) => (
                <Cell key={kernel} cell={cells.find((each) => each.kernel === kernel)} />
              ))}
            </tr>
          ))}
          <MoreRows of={rows.length} noun="devices" query={query} columns={kernels.length + 1} />
        </tbody>
        {reference.size > 0 && (
          <tbody>
            <tr className="!bg-sunken text-2xs text-muted">
              <th scope="rowgroup" colSpan={kernels.length + 1} className="!py-1">
                Reference: not measured by this grid, never ranked. Each figure has a variant,
                driver, protocol and date of its own (select it to see them)
                {rows.length > 0 ? ', so it may differ from the same device above.' : '.'}
              </th>
            </tr>
            {[...reference].map(([hardware, figures]) => (
              <ReferenceRow
                key={hardware}
                hardware={hardware}
                figures={figures}
                kernels={kernels}
              />
            ))}
          </tbody>
        )}
      </TablePanel>
      {repeated.length > 0 && (
        <p className="mt-2 text-xs text-muted">
          No row of reference for {repeated.join(', ')}: the figures of its kernels are the imported
          results above.
        </p>
      )}
      {others.length > 0 && (
        <p className="mt-2 text-xs text-muted">
          Not in this table, since they ran other code than these kernels: {others.join(', ')}. They
          are on{' '}
          <TextLink href={boardHref(query, { view: 'devices', shape: shapeText(problem) })}>
            the board of this problem
          </TextLink>
          .
        </p>
      )}
    </>
  );
}

const partText = (part: number | null): string =>
  part === null ? 'not ranked' : `${Math.round(100 * part)}%`;
const partOf = ({ medianNs }: ReferenceFigure, figures: readonly ReferenceFigure[]): number =>
  Math.min(...figures.map((each) => each.medianNs)) / medianNs;

/** What a figure of a kernel is about. */
const kernelOf = ({ by }: ReferenceFigure): string => (by.kind === 'library' ? by.name : by.kernel);

function ReferenceRow({
  hardware,
  figures,
  kernels,
}: {
  hardware: string;
  figures: readonly ReferenceFigure[];
  kernels: readonly string[];
}) {
  return (
    <tr>
      <th scope="row" className="min-w-40">
        {hardware}
      </th>
      {kernels.map((kernel) => {
        const figure = figures.find((each) => kernelOf(each) === kernel);
        if (!figure) return <Missing key={kernel} />;
        const { by, measuredAt, source } = figure;
        const about = `${source}${measuredAt ? ` Measured ${measuredAt.slice(0, 10)}.` : ''}`;
        const part = partOf(figure, figures);
        return (
          <td
            key={kernel}
            className="figure"
            data-head={nameOf(kernel)}
            style={heatOf(part)}
            title={by.kind === 'library' ? about : `${by.address}. ${about}`}
          >
            <a href={`${kernelHref(kernel)}#reference`} className="hover:underline">
              <RateText of={figure} isBest={part === 1} />
              <PartText of={part} />
            </a>
          </td>
        );
      })}
    </tr>
  );
}

export const heatOf = (part: number) => ({
  background: `color-mix(in oklab, var(--accent) ${Math.round(38 * part)}%, transparent)`,
});

const HEAT = 'color-mix(in oklab, var(--accent) 38%, transparent)';

const Missing = () => (
  <td className="figure text-muted" title="Not measured on this device" data-void="">
    –
  </td>
);

function Cell({ cell }: { cell: HeatMapCell | undefined }) {
  if (!cell) return <Missing />;
  const { address, kernel, partOfBest, provenNs, resultId, unranked } = cell;
  const about = [
    address,
    ...(isAtSlowEnd(cell) ? [`Its share is counted at ${formatNs(provenNs)}, its slow end`] : []),
    ...(unranked === null ? [] : [`Not ranked: ${unranked}`]),
  ];
  return (
    <td
      className="figure"
      data-head={nameOf(kernel)}
      style={unranked === null && partOfBest !== null ? heatOf(partOfBest) : undefined}
    >
      <a href={`/results/${resultId}`} title={about.join('. ')} className="hover:underline">
        <CellText cell={cell} />
        <PartText of={partOfBest} /> {cell.isImported && <Badge tone="amber">imported</Badge>}
      </a>
    </td>
  );
}

/** Below the rate; on a phone beside it, in a column of its own. */
const PartText = ({ of }: { of: number | null }) => (
  <span className="block text-xs font-normal max-sm:ml-3 max-sm:inline-block">{partText(of)}</span>
);

const CellText = ({ cell }: { cell: HeatMapCell }) => (
  <span className={cell.unranked === null ? '' : 'italic'}>
    <RateText of={cell} isBest={cell.partOfBest === 1 && cell.unranked === null} />
    {isAtSlowEnd(cell) && (
      <>
        <span aria-hidden="true">†</span>
        <span className="sr-only">, its share is counted at its slow end</span>
      </>
    )}
  </span>
);

/** Its share is of a longer time than its rate. */
const isAtSlowEnd = ({ medianNs, provenNs }: HeatMapCell): boolean => provenNs !== medianNs;

/** The rate, with a star if it is the best of its row. */
function RateText({ of: { rate }, isBest }: { of: Pick<HeatMapCell, 'rate'>; isBest: boolean }) {
  return (
    <span className={isBest ? 'font-semibold' : ''}>
      {isBest && (
        <>
          <span aria-hidden="true">★ </span>
          <span className="sr-only">best: </span>
        </>
      )}
      {formatRate(rate.value)}
    </span>
  );
}
