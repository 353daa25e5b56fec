/** What the rows of a board are made of, in its table and on a phone. */
import {
  type LeaderboardRow,
  type Metric,
  type MetricId,
  provenNs,
  type ReferenceFigure,
} from '@tilemark/core';
import type { SizeRate } from '@tilemark/core/server';
import type { Problem } from '@tilemark/kernels';
import { kernelHref, VariantLink } from '@/features/kernels/address';
import { TextLink } from '@/ui/button';
import { formatNs, formatRate, plural } from '@/ui/format';
import { MoreRows as More, shownRows as shown } from '@/ui/table';
import { type BoardQuery, boardHref, GROUP_TITLES, type Group } from './query';

type RowGroupOf = readonly [title: string, isOf: (row: LeaderboardRow) => boolean];

/** Classes of device, those of contributed kernels by themselves unless ranked together with ours. */
export function rowGroups({ contributed }: BoardQuery): readonly RowGroupOf[] {
  const isApart = ({ author }: LeaderboardRow) => contributed !== 'together' && Boolean(author);
  const ranked = (of: Group, apart: boolean) => (row: LeaderboardRow) =>
    row.rank !== null && row.device.class === of && isApart(row) === apart;
  return [
    ...GROUP_TITLES.map(([of, title]): RowGroupOf => [title, ranked(of, false)]),
    ...GROUP_TITLES.map(([of, title]): RowGroupOf => [`Contributed: ${title}`, ranked(of, true)]),
    ['Not ranked', ({ rank }) => rank === null],
  ];
}

/** Columns of a board that are shown only where a row has something to say in them. */
export interface Columns {
  readonly problem: Problem;
  readonly metrics: readonly Metric<MetricId>[];
  readonly hasNaive: boolean;
  readonly hasSizes: boolean;
}

/** Those, and always rank, device, rate, variant and age. */
export const columnCount = ({ metrics, hasNaive, hasSizes }: Columns): number =>
  metrics.length + Number(hasNaive) + Number(hasSizes) + 5;

export const shownRows = <T,>(rows: readonly T[], query: BoardQuery): readonly T[] =>
  shown(rows, query.rows === 'all');

/** The way to the rows of a board that are left out; nothing where there are none. */
export function MoreRows({
  query,
  ...rest
}: {
  of: number;
  noun: string;
  query: BoardQuery;
  columns: number;
}) {
  return (
    <More {...rest} isAll={query.rows === 'all'} allHref={boardHref(query, { rows: 'all' })} />
  );
}

/** The rate of a full bar, the same in all groups of a board: the upper end of every interval is on it. */
export const fullBar = (
  rows: readonly Pick<LeaderboardRow, 'lowNs' | 'medianNs' | 'rate'>[],
  figures: readonly Pick<ReferenceFigure, 'interval' | 'medianNs' | 'rate'>[],
): number =>
  Math.max(
    ...rows.map(({ lowNs, medianNs, rate }) => (rate.value * medianNs) / lowNs),
    ...figures.map(
      ({ interval, medianNs, rate }) => (rate.value * medianNs) / (interval?.lowNs ?? medianNs),
    ),
  );

/**
 * A rate as a figure and as a bar from zero, with the interval of the median
 * marked on it where it has one. The figure says all; the bar is for comparing by eye.
 */
export function RateBar({
  value,
  low,
  high,
  max,
  text,
  isRanked,
}: {
  value: number;
  /** Bounds of the interval, where there is one. */
  low?: number;
  high?: number;
  max: number;
  text: string;
  isRanked: boolean;
}) {
  const percent = (part: number) => `${Math.min(100, (part / max) * 100)}%`;
  return (
    <div className="flex items-center gap-3">
      <span className="w-14 shrink-0 text-right font-medium">{text}</span>
      <span aria-hidden="true" className="relative h-2.5 min-w-16 flex-1 bg-sunken">
        <span
          className={`absolute inset-y-0 left-0 min-w-0.5 ${isRanked ? 'bg-accent' : 'bg-muted/70'}`}
          style={{ width: percent(value) }}
        />
        {low !== undefined && high !== undefined && (
          <span
            className="absolute inset-y-[-3px] border-x border-ink"
            style={{ left: percent(low), width: `calc(${percent(high)} - ${percent(low)})` }}
          />
        )}
      </span>
    </div>
  );
}

/** What the median of a row is over, where it has more than one run. */
export const medianOf = (invocations: number): string => `median of ${plural(invocations, 'run')}`;

/** Why a row with a wide interval stands where it does, and what stands behind it for such a one. */
export function Placed({ of }: { of: LeaderboardRow }) {
  return (
    <>
      <SlowEnd of={of} />
      <ShorterMedian of={of.shorterMedian} />
    </>
  );
}

/** What a result with a wide interval is placed by; nothing for another. */
export function SlowEnd({ of }: { of: Parameters<typeof provenNs>[0] }) {
  if (provenNs(of) === of.medianNs) return null;
  return (
    <p className="max-w-72 font-normal text-xs text-muted">
      Compared by the slow end of its wide interval, {formatNs(of.highNs)}
    </p>
  );
}

/** The variant of a device that would be its best, were its median known better. */
export function ShorterMedian({ of }: { of: LeaderboardRow['shorterMedian'] }) {
  if (!of) return null;
  return (
    <p className="font-normal text-xs text-muted in-[table]:max-w-72">
      Shorter median, not proven: <VariantLink address={of.address} resultId={of.resultId} />,{' '}
      {formatNs(of.medianNs)}; its interval is too wide to place it first
    </p>
  );
}

/** Whose the kernel is, unless it is ours, and the way to its page. */
export function Author({ of: { author, variant } }: { of: LeaderboardRow }) {
  if (!author) return null;
  return (
    <TextLink href={kernelHref(variant.kernel)} className="text-xs">
      by {author}
    </TextLink>
  );
}

const SPARK = { width: 56, height: 16 };

/** How the device's best rate follows the size, from nothing to its most. */
export function Sparkline({ sizes }: { sizes: readonly SizeRate[] }) {
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
