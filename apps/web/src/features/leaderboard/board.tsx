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
  provenNs,
  type ReferenceFigure,
} from '@tilemark/core';
import type { SizeRate } from '@tilemark/core/server';
import { opOf, shapeText } from '@tilemark/kernels';
import type { ReactNode } from 'react';
import { DeviceName } from '@/features/devices/device-name';
import { ComparableVariant, kernelHref } from '@/features/kernels/address';
import { UnconfirmedMark } from '@/features/results/confirmation';
import { ImportedBadge, RoofText } from '@/features/results/outcome';
import { TextLink } from '@/ui/button';
import { Ago } from '@/ui/facts';
import {
  formatInterval,
  formatMetric,
  formatNs,
  formatOfPeak,
  formatRate,
  formatSpeedup,
  plural,
} from '@/ui/format';
import { TablePanel } from '@/ui/table';
import { MoreRows, shownRows } from './more-rows';
import { type BoardQuery, GROUP_TITLES, type Group } from './query';
import { RateBar } from './rate-bar';
import { type Columns, columnCount, ReferenceCards, ReferenceRows } from './reference-rows';

/** Metrics whose figure another one of the row shows beside its own. */
const BESIDE: readonly MetricId[] = ['lowNs', 'highNs', 'roofBound'];

/** The rate leads, as a bar. */
const METRICS = metricsOf('board', [...BESIDE, 'rate']);

/** Those that say more than their figure. */
const DRAWN: Partial<Record<MetricId, (row: LeaderboardRow) => ReactNode>> = {
  medianNs: ({ highNs, lowNs, medianNs }) => (
    <>
      {formatNs(medianNs)}
      <span
        className="block text-xs text-muted"
        title="95% interval of the median, with the spread between runs"
      >
        {formatInterval(medianNs, lowNs, highNs)}
      </span>
    </>
  ),
  roofShare: ({ medianNs, roof }) => (
    <RoofText
      share={roof ? roof.ns / medianNs : null}
      bound={roof ? `measured ${roof.bound}` : null}
    />
  ),
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
    metrics,
    hasNaive: shown.some(({ speedupOverNaive }) => speedupOverNaive !== null),
    hasSizes: shown.some((row) => sizesOf(row, sizes).length > 1),
  };
  const caption = `Leaderboard: ${title}, ${shapeText(problem)}, ${problem.dtype}, profile ${query.profile}`;
  return (
    <>
      <div className="space-y-4 sm:hidden">
        <Cards rows={shown} query={query} />
        {reference && <ReferenceCards figures={reference} />}
      </div>
      <div className="max-sm:hidden">
        <TablePanel caption={caption}>
          <thead>
            <tr>
              <th scope="col" className="figure">
                Rank
              </th>
              <th scope="col">Device</th>
              <th scope="col" className="min-w-40">
                {rateUnit(problem)}, higher is better
              </th>
              {metrics.map(({ id, name }) => (
                <th key={id} scope="col" className="figure">
                  {name}
                </th>
              ))}
              {columns.hasNaive && (
                <th scope="col" className="figure">
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
              sizes={sizes}
              columns={columns}
            />
          ))}
          {reference && <ReferenceRows figures={reference} columns={columns} />}
        </TablePanel>
      </div>
    </>
  );
}

/** The rows on a phone: what a row says first, in the order of the table. */
function Cards({ rows, query }: { rows: readonly LeaderboardRow[]; query: BoardQuery }) {
  return rowGroups(query).map(([title, isOf]) => {
    const cards = rows.filter(isOf);
    if (cards.length === 0) return null;
    const fastest = Math.max(...cards.map(({ rate }) => rate.value));
    return (
      <section key={title} aria-label={title}>
        <p className="mb-1 text-2xs font-normal text-muted">
          {title}, {cards[0]?.rate.unit}; a full bar is {formatRate(fastest)}
        </p>
        <ul className="divide-y divide-line rounded-tile border border-line bg-surface">
          {shownRows(cards, query).map((row) => (
            <Card key={row.resultId} row={row} fastest={fastest} />
          ))}
        </ul>
      </section>
    );
  });
}

type RowGroupOf = readonly [title: string, isOf: (row: LeaderboardRow) => boolean];

/** Classes of device, those of contributed kernels by themselves unless ranked together with ours. */
function rowGroups({ contributed }: BoardQuery): readonly RowGroupOf[] {
  const isApart = ({ author }: LeaderboardRow) => contributed !== 'together' && Boolean(author);
  const ranked = (of: Group, apart: boolean) => (row: LeaderboardRow) =>
    row.rank !== null && row.device.class === of && isApart(row) === apart;
  return [
    ...GROUP_TITLES.map(([of, title]): RowGroupOf => [title, ranked(of, false)]),
    ...GROUP_TITLES.map(([of, title]): RowGroupOf => [`Contributed: ${title}`, ranked(of, true)]),
    ['Not ranked', ({ rank }) => rank === null],
  ];
}

function Card({ row, fastest }: { row: LeaderboardRow; fastest: number }) {
  const {
    address,
    device,
    highNs,
    imported,
    lowNs,
    medianNs,
    rank,
    rate,
    resultId,
    roof,
    unranked,
  } = row;
  return (
    <li className="space-y-1 px-3 py-2 text-[0.8125rem]">
      <div className="flex items-baseline gap-2">
        {rank !== null && (
          <span className="font-medium">
            {rank}
            <span className="sr-only">. place:</span>
          </span>
        )}
        <DeviceName device={device} />
        <span className="ml-auto text-xs text-muted">
          <Ago date={row.measuredAt} />
        </span>
      </div>
      <RateBar
        value={rate.value}
        max={fastest}
        text={formatRate(rate.value)}
        isRanked={rank !== null}
      />
      <p className="text-xs text-muted">
        {formatNs(medianNs)} {formatInterval(medianNs, lowNs, highNs)}
        {roof && <>, {formatOfPeak(roof.ns / medianNs)} of peak</>}
      </p>
      <p>
        <ComparableVariant address={address} resultId={resultId} on={device.name} />{' '}
        <Author of={row} /> <ImportedBadge of={imported} />
      </p>
      <Placed of={row} />
      {unranked && <p className="text-xs text-amber">Not ranked: {unranked}</p>}
    </li>
  );
}

/** Classes differ by orders of magnitude, so each has a scale of its own, and says which. */
function RowGroup({
  title,
  rows,
  query,
  sizes,
  columns,
}: {
  title: string;
  rows: readonly LeaderboardRow[];
  query: BoardQuery;
  sizes: Sizes;
  columns: Columns;
}) {
  if (rows.length === 0) return null;
  // The upper end of every interval is on the scale.
  const full = Math.max(
    ...rows.map(({ lowNs, medianNs, rate }) => (rate.value * medianNs) / lowNs),
  );
  return (
    <tbody>
      <tr className="!bg-sunken text-2xs text-muted">
        <th scope="rowgroup" colSpan={2} className="!py-1">
          {title}
        </th>
        <td colSpan={columnCount(columns) - 2} className="!py-1">
          the scale ends at {formatRate(full)}; marks show the 95% interval
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
        <DeviceName device={device} />
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
            {DRAWN[id]?.(row) ?? (value === null ? '–' : formatMetric(unit, digits, value))}
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

/** Why a row with a wide interval stands where it does. */
function Placed({ of }: { of: LeaderboardRow }) {
  if (of.rank === null || provenNs(of) === of.medianNs) return null;
  return (
    <p className="max-w-72 font-normal text-xs text-muted">
      Placed by the slow end of its wide interval, {formatNs(of.highNs)}
    </p>
  );
}

/** Whose the kernel is, unless it is ours, and the way to its page. */
function Author({ of: { author, variant } }: { of: LeaderboardRow }) {
  if (!author) return null;
  return (
    <TextLink href={kernelHref(variant.kernel)} prefetch={false} className="text-xs">
      by {author}
    </TextLink>
  );
}

const SPARK = { width: 56, height: 16 };

/** How the device's best rate follows the size, from nothing to its most. */
function Sparkline({ sizes }: { sizes: readonly SizeRate[] }) {
  if (sizes.length < 2) return <span className="text-muted">–</span>;
  const most = Math.max(...sizes.map(({ rate }) => rate));
  const [low, high] = [sizes[0], sizes.at(-1)].map((size) => Math.log2(size?.edge ?? 1));
  const points = sizes.map(({ edge, rate }) => {
    const x = ((Math.log2(edge) - (low ?? 0)) / ((high ?? 1) - (low ?? 0))) * SPARK.width;
    return `${x.toFixed(1)},${(SPARK.height * (1 - rate / most)).toFixed(1)}`;
  });
  const text = sizes.map(({ edge, rate }) => `${edge}: ${formatRate(rate)}`).join('; ');
  return (
    <svg
      {...SPARK}
      viewBox={`-1 -1 ${SPARK.width + 2} ${SPARK.height + 2}`}
      role="img"
      aria-label={`Best rate by size: ${text}`}
    >
      <title>{text}</title>
      <polyline points={points.join(' ')} fill="none" stroke="var(--accent)" strokeWidth="1.5" />
    </svg>
  );
}
