import type { Counts, Sweep } from '@tilemark/core';
import { ascending, median, pairs } from 'd3-array';
import { formatCount, plural } from '@/ui/format';
import { Badge, type Tone } from '@/ui/notice';
import { PartsBar } from '@/ui/parts-bar';

/** How far a sweep is: its status, and a bar in parts. */

const TONES: Readonly<Record<Sweep['status'], Tone>> = {
  queued: 'neutral',
  running: 'accent',
  done: 'neutral',
  cancelled: 'amber',
};

/** Cancelled, and a worker has not yet stopped a run that had begun. */
export const isCancelling = (status: Sweep['status'], { pending }: Counts): boolean =>
  status === 'cancelled' && pending > 0;

export function StatusBadge({
  status,
  counts,
  tuning,
}: {
  status: Sweep['status'];
  counts: Counts;
  tuning: Sweep['tuning'];
}) {
  return <Badge tone={TONES[status]}>{statusText(status, counts, tuning)}</Badge>;
}

/** Whether its time cut a search of a family short: it is not done with its shapes. */
export const isCut = (tuning: Sweep['tuning']): boolean =>
  !!tuning && 'suite' in tuning && tuning.decision?.stop === 'budget';

export function statusText(
  status: Sweep['status'],
  counts: Counts,
  tuning: Sweep['tuning'],
): string {
  if (isCancelling(status, counts)) return 'cancelling';
  if (status === 'queued') return 'waiting';
  return status === 'done' && isCut(tuning) ? 'ended by its budget' : status;
}

/** Whether nothing more will come of it: a run that had begun when it was cancelled may still end. */
export const hasEnded = (status: Sweep['status'], { pending }: Counts): boolean =>
  status === 'done' || (status === 'cancelled' && pending === 0);

const PARTS = [
  ['measured', 'bg-accent'],
  ['skipped', 'bg-line-strong'],
  ['incorrect', 'bg-rose'],
  ['failed', 'bg-amber'],
] as const;

export const ProgressBar = ({ counts, label }: { counts: Counts; label: string }) => (
  <PartsBar
    label={label}
    text={`${counts.total - counts.pending} of ${plural(counts.total, 'run')} ended`}
    parts={PARTS.map(([part, color]) => [color, counts[part]])}
    whole={counts.total}
  />
);

/** The same in figures, which also says what the parts' colours mean. */
export function CountsLine({
  counts,
  isOver = false,
}: {
  counts: Counts;
  /** Only what there was is named then. */
  isOver?: boolean;
}) {
  const shown = PARTS.filter(([part]) => !isOver || counts[part] > 0);
  return (
    <dl className="flex flex-wrap gap-x-5 gap-y-1 text-[0.8125rem]">
      {shown.map(([part, color]) => (
        <Count key={part} name={part} count={counts[part]} color={color} />
      ))}
      {!isOver && (
        <Count name="to come" count={counts.pending} color="border border-line-strong bg-sunken" />
      )}
    </dl>
  );
}

function Count({ name, count, color }: { name: string; count: number; color: string }) {
  return (
    <div className="flex items-baseline gap-1.5">
      <span aria-hidden="true" className={`inline-block size-2 ${color}`} />
      <dt className="text-muted">{name}</dt>
      <dd className="font-medium">{formatCount(count)}</dd>
    </div>
  );
}

/**
 * How long pending runs may take, s: each the median time between the ends of those before. Null: too few
 * have ended.
 *
 * @param endsMs when runs ended, ms since 1970, in any order
 */
export function remainingSeconds(endsMs: readonly number[], pending: number): number | null {
  const seconds = median(pairs(endsMs.toSorted(ascending), (from, to) => (to - from) / 1e3));
  return seconds === undefined ? null : seconds * pending;
}
