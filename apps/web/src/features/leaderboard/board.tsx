/**
 * The leaderboard: ranked results of a problem, as a table or a portability report.
 *
 * A column that is a figure of a result is one entry of METRICS in core/src/api/metrics.ts, with
 * `board` among its places. Any other: the row's schema in core/src/api/leaderboard.ts, its query
 * in core/src/server/store/boards/leaderboard.ts, and its column here.
 */
import {
  boardFigures,
  DEVICE_GROUPS,
  type DeviceClass,
  type DeviceRef,
  hasProfiles,
  type Leaderboard,
  type LeaderboardRow,
  type Metric,
  type MetricId,
  metricsOf,
  RUNTIMES,
  runtimePlace,
} from '@tilemark/core';
import { opOf, type Problem, shapeText } from '@tilemark/kernels';
import type { ReactNode } from 'react';
import { chartQuery } from '@/features/chart/query';
import { Tick, Ticking } from '@/features/chart/ticks';
import { DeviceName } from '@/features/devices/device-name';
import { kernelHref, VariantLink } from '@/features/kernels/address';
import { MEDIAN_BETWEEN, OVER_NAIVE } from '@/features/results/columns';
import { ImportedBadge, RoofText } from '@/features/results/outcome';
import { TextLink } from '@/ui/button';
import { Day } from '@/ui/facts';
import {
  formatInterval,
  formatMetric,
  formatNs,
  formatShape,
  formatSpeedup,
  plural,
} from '@/ui/format';
import { fullBar, RateBar } from '@/ui/rate-bar';
import { type Column, DataTable } from '@/ui/table';
import { type BoardQuery, restOf } from './query';

/** Metrics whose figure another one of the row shows beside its own; the rate leads, as a bar. */
const METRICS = metricsOf('board', ['lowNs', 'highNs', 'roofBound', 'rate']);

/** Those that say more than their figure. */
const DRAWN: Partial<Record<MetricId, (row: Row) => ReactNode>> = {
  medianNs: ({ highNs, invocations, lowNs, medianNs }) => (
    <>
      {formatNs(medianNs)}
      <span className="block text-xs text-muted">{formatInterval(medianNs, lowNs, highNs)}</span>
      {invocations > 1 && (
        <span className="block text-xs text-muted">median of {plural(invocations, 'run')}</span>
      )}
    </>
  ),
  roofShare: ({ medianNs, roof }) =>
    roof && <RoofText share={roof.ns / medianNs} bound={roof.bound} />,
};

const metricColumn = ({ digits, id, name, unit }: Metric<MetricId>): Column<Row> => ({
  head: id === 'medianNs' ? MEDIAN_BETWEEN : name,
  isFigure: true,
  cell: (row) => {
    const value = row.figures[id] ?? null;
    return DRAWN[id]?.(row) ?? (value === null ? '–' : formatMetric(unit, digits, value));
  },
});

const TITLES: Readonly<Record<DeviceClass, string>> = {
  gpu: 'GPUs',
  browser: 'Browsers',
  software: 'Software adapters',
  cpu: 'Host CPUs',
};

/** Ranks are among devices of a class under one runtime. */
const titleOf = ({ class: kind, runtime = '' }: DeviceRef): string =>
  hasProfiles({ class: kind, runtime }) || !RUNTIMES[runtime]
    ? TITLES[kind]
    : `${TITLES[kind]}: ${RUNTIMES[runtime].title}`;

/** Rows in their groups: each class and runtime, contributed kernels by themselves, then what has no rank. */
function grouped(rows: readonly LeaderboardRow[]) {
  return rows
    .map((row) => {
      const isApart = Boolean(row.author);
      const title = titleOf(row.device);
      return {
        ...row,
        figures: boardFigures(row),
        group: row.rank === null ? 'Not ranked' : isApart ? `Contributed: ${title}` : title,
        place:
          [row.rank === null, isApart].map(Number).join('') +
          DEVICE_GROUPS.indexOf(row.device.class) +
          runtimePlace(row.device.runtime),
      };
    })
    .toSorted((a, b) => a.place.localeCompare(b.place));
}
type Row = ReturnType<typeof grouped>[number];

/** Whether others of its group have the rank of a row. */
const isShared = ({ group, rank, resultId }: Row, rows: readonly Row[]): boolean =>
  rank !== null &&
  rows.some((row) => row.group === group && row.rank === rank && row.resultId !== resultId);

/** One row per device, grouped by class, ranked rows first; what is not ranked says why. */
export function Board({
  problem,
  rows,
  query,
}: {
  problem: Problem;
  rows: Leaderboard['rows'];
  query: BoardQuery;
}) {
  const { title, rateUnit } = opOf(problem);
  const shown = grouped(rows);
  const full = fullBar(shown);
  const metrics = METRICS.filter(
    ({ id }) => DRAWN[id] || shown.some(({ figures }) => figures[id] != null),
  );
  const overNaive: Column<Row> = {
    head: OVER_NAIVE,
    title: 'Ratio of the medians on the device',
    isFigure: true,
    cell: ({ speedupOverNaive: ratio }) => (ratio === null ? '–' : formatSpeedup(ratio)),
  };
  return (
    <Ticking also={chartQuery([problem], query.profile)}>
      <DataTable
        caption={`Leaderboard: ${title}, ${formatShape(shapeText(problem))}, ${problem.dtype}, profile ${query.profile}`}
        wraps
        rows={shown}
        keyOf={({ resultId }) => resultId}
        groupOf={({ group }) => group}
        rowHead={1}
        rest={restOf(query, 'rows')}
        columns={[
          {
            head: 'Rank',
            isFigure: true,
            className: 'font-medium',
            cell: (row) => (
              <>
                {row.rank ?? '–'}
                {isShared(row, shown) && (
                  <span className="block font-normal text-xs text-muted">Shared rank</span>
                )}
              </>
            ),
          },
          {
            head: 'Device',
            className: 'min-w-36',
            cell: ({ author, device, driver, unranked }) => (
              <>
                <span className="inline-flex items-start">
                  {!author && <Tick of={device} />}
                  <DeviceName device={device} />
                </span>
                {driver && <p className="font-normal text-xs text-muted">{driver}</p>}
                {unranked && (
                  <p className="font-normal text-xs text-amber">Not ranked: {unranked}</p>
                )}
              </>
            ),
          },
          {
            head: `${rateUnit(problem)}, higher is better`,
            className: 'min-w-34',
            cell: (row) => <RateBar of={row} full={full} isRanked={row.rank !== null} />,
          },
          ...metrics.map(metricColumn),
          ...(shown.some(({ speedupOverNaive }) => speedupOverNaive !== null) ? [overNaive] : []),
          { head: 'Best variant', className: 'min-w-44', cell: (row) => <BestVariant of={row} /> },
          {
            head: 'Measured',
            isFigure: true,
            className: 'text-muted',
            cell: ({ machines, measuredAt }) => (
              <>
                <Day date={measuredAt} />
                {machines > 1 && (
                  <span className="block text-xs">{plural(machines, 'machine')} agree</span>
                )}
              </>
            ),
          },
        ]}
      />
    </Ticking>
  );
}

function BestVariant({ of }: { of: Row }) {
  const { address, author, imported, resultId, variant } = of;
  return (
    <>
      <VariantLink address={address} resultId={resultId} />{' '}
      {author && (
        <TextLink href={kernelHref(variant.kernel)} className="text-xs">
          by {author}
        </TextLink>
      )}{' '}
      <ImportedBadge of={imported} />
    </>
  );
}
