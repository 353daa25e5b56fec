/**
 * The leaderboard: ranked results of a problem, as a table, a heat map or a portability report.
 *
 * A column that is a figure of a result is one entry of METRICS in core/src/view/metrics.ts, with
 * `board` among its places. Any other: the row's schema in core/src/view/leaderboard.ts, its query
 * in core/src/server/store/boards/leaderboard.ts, and its cell here.
 */
import {
  boardFigures,
  type Leaderboard,
  type LeaderboardRow,
  type MetricId,
  metricsOf,
  peakShare,
  type ReferenceFigure,
} from '@tilemark/core';
import type { SizeRate } from '@tilemark/core/server';
import { opOf, type Problem, shapeText } from '@tilemark/kernels';
import type { ReactNode } from 'react';
import { DeviceName } from '@/features/devices/device-name';
import { ComparableVariant } from '@/features/kernels/address';
import { UnconfirmedMark } from '@/features/results/confirmation';
import { ImportedBadge, RoofText } from '@/features/results/outcome';
import { Ago } from '@/ui/facts';
import {
  formatInterval,
  formatMetric,
  formatNs,
  formatRate,
  formatShape,
  formatSpeedup,
  plural,
} from '@/ui/format';
import { TablePanel } from '@/ui/table';
import { Cards, ReferenceCards } from './cards';
import type { BoardQuery, Group } from './query';
import { ReferenceRows } from './reference-rows';
import {
  Author,
  type Columns,
  columnCount,
  fullBar,
  MoreRows,
  medianOf,
  Placed,
  RateBar,
  rowGroups,
  Sparkline,
  shownRows,
} from './row-parts';

/** Metrics whose figure another one of the row shows beside its own. */
const BESIDE: readonly MetricId[] = ['lowNs', 'highNs', 'roofBound'];

/** The rate leads, as a bar. */
const METRICS = metricsOf('board', [...BESIDE, 'rate']);

/** Those that say more than their figure. */
const DRAWN: Partial<Record<MetricId, (row: LeaderboardRow, problem: Problem) => ReactNode>> = {
  medianNs: ({ highNs, invocations, lowNs, medianNs }) => (
    <>
      {formatNs(medianNs)}
      <span
        className="block text-xs text-muted"
        title="95% interval of the median, with the spread between runs"
      >
        {formatInterval(medianNs, lowNs, highNs)}
      </span>
      {invocations > 1 && <span className="block text-xs text-muted">{medianOf(invocations)}</span>}
    </>
  ),
  roofShare: (row, problem) => <RoofText of={peakShare({ ...row, problem })} />,
};

/** The usual ones, and what a row has a figure of. */
const metricsIn = (rows: readonly LeaderboardRow[]): Columns['metrics'] =>
  METRICS.filter(({ id }) => DRAWN[id] || rows.some((row) => boardFigures(row)[id] != null));

type Sizes = ReadonlyMap<string, readonly SizeRate[]>;

/** Of our kernels. */
const sizesOf = ({ author, device }: LeaderboardRow, sizes: Sizes): readonly SizeRate[] =>
  author ? [] : (sizes.get(device.key) ?? []);

/** One row per device, grouped by class, ranked rows first; what is not ranked says why. */
export function Board({
  board: { problem, rows },
  query,
  groups,
  reference,
  sizes,
}: {
  board: Leaderboard;
  query: BoardQuery;
  groups: readonly Group[];
  /** Null: not shown. */
  reference: readonly ReferenceFigure[] | null;
  sizes: Sizes;
}) {
  if (!problem) return null;
  const { title, rateUnit } = opOf(problem);
  const shown = rows.filter(
    (row) => groups.includes(row.device.class) && (!row.author || groups.includes('contributed')),
  );
  const metrics = metricsIn(shown);
  const columns: Columns = {
    problem,
    metrics,
    hasNaive: shown.some(({ speedupOverNaive }) => speedupOverNaive !== null),
    hasSizes: shown.some((row) => sizesOf(row, sizes).length > 1),
  };
  const full = fullBar(shown, reference ?? []);
  const caption = `Leaderboard: ${title}, ${formatShape(shapeText(problem))}, ${problem.dtype}, profile ${query.profile}`;
  return (
    <>
      <div className="space-y-4 sm:hidden">
        <Cards rows={shown} full={full} query={query} problem={problem} />
        {reference && <ReferenceCards figures={reference} full={full} />}
      </div>
      <div className="max-sm:hidden">
        <TablePanel caption={caption} wraps>
          <thead>
            <tr>
              <th scope="col" className="figure">
                Rank
              </th>
              <th scope="col">Device</th>
              <th scope="col" className="min-w-34">
                {rateUnit(problem)}, higher is better
              </th>
              {metrics.map(({ id, name }) => (
                <th key={id} scope="col" className="figure">
                  {name}
                </th>
              ))}
              {columns.hasNaive && (
                <th
                  scope="col"
                  className="figure"
                  title="Of the two medians, however wide their intervals"
                >
                  Over naive
                </th>
              )}
              {columns.hasSizes && (
                <th
                  scope="col"
                  title="The device’s best rate at each square size, from small to large"
                >
                  By size
                </th>
              )}
              <th scope="col">Best variant</th>
              <th scope="col" className="figure">
                Measured
              </th>
            </tr>
          </thead>
          {rowGroups(query).map(([title, isOf]) => (
            <RowGroup
              key={title}
              title={title}
              rows={shown.filter(isOf)}
              query={query}
              full={full}
              sizes={sizes}
              columns={columns}
            />
          ))}
          {reference && <ReferenceRows figures={reference} full={full} columns={columns} />}
        </TablePanel>
      </div>
    </>
  );
}

/** Rows of one class; the scale is that of the whole board, so that bars compare across classes. */
function RowGroup({
  title,
  rows,
  query,
  full,
  sizes,
  columns,
}: {
  title: string;
  rows: readonly LeaderboardRow[];
  query: BoardQuery;
  /** The rate at the end of the scale. */
  full: number;
  sizes: Sizes;
  columns: Columns;
}) {
  if (rows.length === 0) return null;
  return (
    <tbody>
      <tr className="!bg-sunken text-2xs text-muted">
        <th scope="rowgroup" colSpan={2} className="!py-1">
          {title}
        </th>
        <td colSpan={columnCount(columns) - 2} className="!py-1">
          a full bar is {formatRate(full)}; marks show the interval
        </td>
      </tr>
      {shownRows(rows, query).map((row) => (
        <BoardRow
          key={row.resultId}
          row={row}
          full={full}
          sizes={sizesOf(row, sizes)}
          columns={columns}
        />
      ))}
      <MoreRows of={rows.length} noun="devices" query={query} columns={columnCount(columns)} />
    </tbody>
  );
}

function BoardRow({
  row,
  full,
  sizes,
  columns,
}: {
  row: LeaderboardRow;
  /** The rate at the end of the scale. */
  full: number;
  sizes: readonly SizeRate[];
  columns: Columns;
}) {
  const { device, highNs, lowNs, medianNs, rank, rate, resultId, speedupOverNaive, unranked } = row;
  const figures = boardFigures(row);
  return (
    <tr>
      <td className="figure font-medium">{rank ?? '–'}</td>
      <th scope="row" className="min-w-36">
        <DeviceName device={device} />{' '}
        {unranked && <p className="font-normal text-xs text-amber">Not ranked: {unranked}</p>}
        {rank === 1 && row.confirmation === 'unconfirmed' && <UnconfirmedMark />}
      </th>
      <td>
        <RateBar
          value={rate.value}
          low={(rate.value * medianNs) / highNs}
          high={(rate.value * medianNs) / lowNs}
          max={full}
          text={formatRate(rate.value)}
          isRanked={rank !== null}
        />
      </td>
      {columns.metrics.map(({ digits, id, unit }) => {
        const value = figures[id] ?? null;
        return (
          <td key={id} className="figure">
            {DRAWN[id]?.(row, columns.problem) ??
              (value === null ? '–' : formatMetric(unit, digits, value))}
          </td>
        );
      })}
      {columns.hasNaive && (
        <td className="figure">
          {speedupOverNaive === null ? '–' : formatSpeedup(speedupOverNaive)}
        </td>
      )}
      {columns.hasSizes && (
        <td>
          <Sparkline sizes={sizes} />
        </td>
      )}
      <td className="min-w-44">
        <ComparableVariant address={row.address} resultId={resultId} on={device.name} />{' '}
        <Author of={row} /> <ImportedBadge of={row.imported} />
        <Placed of={row} />
      </td>
      <td className="figure text-muted">
        <Ago date={row.measuredAt} />
        {row.machines > 1 && (
          <span
            className="block text-xs"
            title="Hosts whose workers have submitted results of this device"
          >
            {plural(row.machines, 'machine')}
          </span>
        )}
      </td>
    </tr>
  );
}
