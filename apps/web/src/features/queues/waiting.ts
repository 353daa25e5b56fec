import type { DeviceQueue } from '@tilemark/core';
import type { Waiting } from '@tilemark/core/server';
import { formatAge, formatEstimate, plural } from '@/ui/format';

/**
 * How far runs on a device are: `3 runs to come, behind 12 others, starting in about 5 min, done in about
 * 6 min`.
 */
export function waitingText(waiting: Omit<Waiting, 'device'>): string {
  const { ahead, etaMs, isRunning, isServed, runs, startMs } = waiting;
  if (isRunning) {
    const now = runs === 1 ? 'running now' : 'one running now';
    return `${plural(runs, 'run')} left, ${now}, ${whenText('done', etaMs)}`;
  }
  const toCome = `${plural(runs, 'run')} to come`;
  if (!isServed) return `${toCome}; no worker takes them now`;
  if (ahead === 0) return `${toCome}, next in the queue, ${whenText('done', etaMs)}`;
  const start = whenText('starting', startMs);
  const end = startMs === null ? '' : `, ${whenText('done', etaMs)}`;
  return `${toCome}, behind ${plural(ahead, 'other run')}, ${start}${end}`;
}

const whenText = (what: 'starting' | 'done', ms: number | null) =>
  ms === null ? `${what} at an unknown time` : `${what} in ${formatEstimate(ms / 1e3)}`;

/** When a device's queue will be empty, or why that is unknown. */
export function etaText(queue: Pick<DeviceQueue, 'waiting' | 'serving' | 'etaMs'>): string {
  if (queue.waiting === 0) return '–';
  if (queue.serving === 0) return 'no\u00a0worker';
  if (queue.etaMs === null) return 'unknown';
  if (queue.etaMs < 60_000) return '< 1\u202fmin';
  return formatAge(new Date(0), new Date(queue.etaMs));
}
