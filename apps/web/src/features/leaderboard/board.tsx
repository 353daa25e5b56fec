/**
 * The leaderboard: ranked results of a problem, as a table, a heat map or a portability report.
 *
 * A column that is a figure of a result is one entry of METRICS in core/src/view/metrics.ts, with
 * `board` among its places. Any other: the row's schema in core/src/view/leaderboard.ts, its query
 * in core/src/server/store/boards/leaderboard.ts, and its column here.
 */
import {
  type Leaderboard,
  type Metric,
  type MetricId,
  metricsOf,
  type ReferenceFigure,
} from '@tilemark/core';
import { opOf, shapeText } from '@tilemark/kernels';
import type { ReactNode } from 'react';
import { DeviceName } from '@/features/devices/device-name';
import { OVER_NAIVE } from '@/features/results/columns';
import { UnconfirmedMark } from '@/features/results/confirmation';
import { RoofText } from '@/features/results/outcome';
import {
  formatInterval,
  formatMetric,
  formatNs,
  formatShape,
  formatSpeedup,
  plural,
} from '@/ui/format';
import { NoteMark, Notes } from '@/ui/note';
import { fullBar, RateBar } from '@/ui/rate-bar';
import { type Column, DataTable } from '@/ui/table';
import { type BoardRow, boardRows } from './board-rows';
import { type BoardQuery, type Group, restOf } from './query';
import { sourcesOf } from './reference-rows';

/** Metrics whose figure another one of the row shows beside its own; the rate leads, as a bar. */
const METRICS = metricsOf('board', ['lowNs', 'highNs', 'roofBound', 'rate']);

/** Those that say more than their figure. */
const DRAWN: Partial<Record<MetricId, (row: BoardRow) => ReactNode>> = {
  medianNs: ({ highNs, invocations, lowNs, medianNs }) => (
    <>
      {formatNs(medianNs)}
      {lowNs !== undefined && highNs !== undefined && (
        <span className="block text-xs text-muted">{formatInterval(medianNs, lowNs, highNs)}</span>
      )}
      {invocations > 1 && (
        <span className="block text-xs text-muted">median of {plural(invocations, 'run')}</span>
      )}
    </>
  ),
  roofShare: ({ peak }) => <RoofText of={peak} />,
};

const metricColumn = ({ digits, id, name, unit }: Metric<MetricId>): Column<BoardRow> => ({
  head: name,
  isFigure: true,
  cell: (row) => {
    const value = row.figures[id] ?? null;
    return DRAWN[id]?.(row) ?? (value === null ? '–' : formatMetric(unit, digits, value));
  },
});

/** One row per device, grouped by class, ranked rows first; what is not ranked says why. */
export function Board({
  board: { problem, rows },
  query,
  groups,
  reference,
}: {
  board: Leaderboard;
  query: BoardQuery;
  groups: readonly Group[];
  /** Beside the results; none where it is not shown. */
  reference: readonly ReferenceFigure[];
}) {
  if (!problem) return null;
  const { title, rateUnit } = opOf(problem);
  const own = rows.filter(
    (row) => groups.includes(row.device.class) && (!row.author || groups.includes('contributed')),
  );
  const shown = boardRows(own, reference, query, problem);
  const full = fullBar(shown);
  const sources = sourcesOf(reference);
  const metrics = METRICS.filter(
    ({ id }) => DRAWN[id] || shown.some(({ figures }) => figures[id] != null),
  );
  const isOverNaive = shown.some(({ speedupOverNaive }) => speedupOverNaive !== null);
  return (
    <>
      <DataTable
        caption={`Leaderboard: ${title}, ${formatShape(shapeText(problem))}, ${problem.dtype}, profile ${query.profile}`}
        wraps
        rows={shown}
        keyOf={({ key }) => key}
        groupOf={({ group }) => group}
        rowHead={1}
        rest={restOf(query, 'rows')}
        columns={[
          {
            head: 'Rank',
            isFigure: true,
            className: 'font-medium',
            cell: ({ rank }) => rank ?? '–',
          },
          {
            head: 'Device',
            className: 'min-w-36',
            cell: (row) => <Device row={row} sources={sources} />,
          },
          {
            head: `${rateUnit(problem)}, higher is better`,
            className: 'min-w-34',
            cell: (row) => <RateBar of={row} full={full} isRanked={row.rank !== null} />,
          },
          ...metrics.map(metricColumn),
          ...(isOverNaive
            ? [
                {
                  head: OVER_NAIVE,
                  title: 'Ratio of the medians on the device',
                  isFigure: true,
                  cell: ({ speedupOverNaive: ratio }: BoardRow) =>
                    ratio === null ? '–' : formatSpeedup(ratio),
                },
              ]
            : []),
          { head: 'Best variant', className: 'min-w-44', cell: ({ variant }) => variant },
          {
            head: 'Measured',
            isFigure: true,
            className: 'text-muted',
            cell: ({ machines, measured }) => (
              <>
                {measured}
                {machines > 1 && (
                  <span className="block text-xs">{plural(machines, 'machine')}</span>
                )}
              </>
            ),
          },
        ]}
      />
      <Notes of={sources} />
    </>
  );
}

function Device({ row, sources }: { row: BoardRow; sources: readonly string[] }) {
  const { device, hardware, isUnconfirmed, source, unranked } = row;
  return (
    <>
      {device ? <DeviceName device={device} /> : <span className="font-normal">{hardware}</span>}{' '}
      <NoteMark of={source} among={sources} />
      {unranked && <p className="font-normal text-xs text-amber">Not ranked: {unranked}</p>}
      {isUnconfirmed && <UnconfirmedMark />}
    </>
  );
}
