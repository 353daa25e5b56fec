import type { Counts, RunView, Sweep } from '@tilemark/core';
import { ascending, deviation, group, mean, pairs } from 'd3-array';
import { shortDeviceName } from '@/features/devices/short-device-name';
import { formatCount, formatEstimate, plural } from '@/ui/format';
import { Badge, type Tone } from '@/ui/notice';
import { PartsBar } from '@/ui/parts-bar';

/** How far a sweep is: its status, a bar in parts, and each device's share of it. */

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

/** How far each device is and, while the sweep runs, how long it may still take at its own pace. */
export function DeviceProgress({ runs }: { runs: readonly RunView[] }) {
  if (runs.length === 0) return null;
  return (
    <ul aria-label="Progress by device" className="space-y-2 border-t border-line pt-3">
      {[...group(runs, ({ device }) => device.key).values()].map((deviceRuns) => {
        const counts = countsOf(deviceRuns);
        const seconds = remainingSeconds(
          deviceRuns.flatMap(({ endedAt }) => (endedAt === null ? [] : Date.parse(endedAt))),
          counts.pending,
        );
        const { key, name } = deviceRuns[0]?.device ?? { key: '', name: '' };
        return (
          <li key={key} className="text-[0.8125rem]">
            <p className="mb-1 flex flex-wrap justify-between gap-x-4">
              <span className="min-w-0 break-words" title={name}>
                {shortDeviceName(name)}
              </span>
              <span className="text-muted">
                {formatCount(counts.total - counts.pending)} of {formatCount(counts.total)}
                {counts.pending > 0 && `, ${paceText(deviceRuns, seconds)}`}
              </span>
            </p>
            <ProgressBar counts={counts} label={`Progress on ${name}`} />
          </li>
        );
      })}
    </ul>
  );
}

/** @param seconds that it may still take; null: not known yet */
export function paceText(runs: readonly Pick<RunView, 'kind'>[], seconds: number | null): string {
  if (seconds !== null) return `${formatEstimate(seconds)} left`;
  return runs.every(({ kind }) => kind === 'pending') ? 'waiting' : 'estimating…';
}

function countsOf(runs: readonly RunView[]): Counts {
  const counts = { total: 0, pending: 0, measured: 0, skipped: 0, incorrect: 0, failed: 0 };
  for (const { kind } of runs) {
    counts.total += 1;
    counts[kind === 'running' ? 'pending' : kind] += 1;
  }
  return counts;
}

/** Ends that tell a pace; fewer tell more of chance. */
const FEWEST_ENDS = 5;

/** Largest standard error of an estimate, relative: two of them are a factor of two, less something. */
const SURE = 1 / 4;

/**
 * How long a device may take for its pending runs, s, by the mean time between the ends
 * of those before them: runs come in random order, so the mean of some is that of all.
 * Null while too few have ended, or their times differ too much, to be right within a factor of two.
 *
 * @param endsMs when its runs ended, ms since 1970, in any order
 */
export function remainingSeconds(endsMs: readonly number[], pending: number): number | null {
  if (endsMs.length < FEWEST_ENDS) return null;
  const times = pairs(endsMs.toSorted(ascending), (from, to) => (to - from) / 1e3);
  const [meanS = 0, spread = 0] = [mean(times), deviation(times)];
  if (pending > 0 && spread * Math.sqrt(1 / times.length + 1 / pending) > SURE * meanS) return null;
  return meanS * pending;
}
