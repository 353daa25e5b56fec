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
