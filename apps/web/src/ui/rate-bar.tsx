import { formatRate } from './format';

/** A rate at a median, with the interval of the median where there is one. */
interface Barred {
  readonly rate: { readonly value: number };
  readonly medianNs: number;
  readonly lowNs?: number | undefined;
  readonly highNs?: number | undefined;
}

/** The rate of a full bar: the upper end of every interval is on it. */
export const fullBar = (rows: readonly Barred[]): number =>
  Math.max(
    ...rows.map(({ lowNs, medianNs, rate }) => (rate.value * medianNs) / (lowNs ?? medianNs)),
  );

/**
 * A rate as a figure and as a bar from zero, with the interval of the median marked on it. The figure
 * says all; the bar is for comparing by eye.
 */
export function RateBar({
  of: { highNs, lowNs, medianNs, rate },
  full,
  isRanked,
}: {
  of: Barred;
  full: number;
  isRanked: boolean;
}) {
  const interval =
    lowNs !== undefined && highNs !== undefined
      ? ([(rate.value * medianNs) / highNs, (rate.value * medianNs) / lowNs] as const)
      : undefined;
  return (
    <Bar
      part={rate.value / full}
      {...(interval && { low: interval[0] / full, high: interval[1] / full })}
      text={formatRate(rate.value)}
      isRanked={isRanked}
    />
  );
}

/** A share of one as a text and as a bar. */
export function Bar({
  part,
  low,
  high,
  text,
  isRanked,
}: {
  part: number;
  low?: number;
  high?: number;
  text: string;
  isRanked: boolean;
}) {
  const percent = (share: number) => `${Math.min(100, share * 100)}%`;
  return (
    <div className="flex items-center gap-3">
      <span className="w-14 shrink-0 text-right font-medium">{text}</span>
      <span aria-hidden="true" className="relative h-2.5 min-w-16 flex-1 bg-sunken">
        <span
          className={`absolute inset-y-0 left-0 min-w-0.5 ${isRanked ? 'bg-accent' : 'bg-muted/70'}`}
          style={{ width: percent(part) }}
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
