import type { ContributedResults } from '@tilemark/core/server';
import { formatEstimate, plural } from '@/ui/format';

type Waiting = ContributedResults['waiting'][number];

/** How far the runs of a kernel on a device are: `3 runs to come, next in the queue, done in about 40 s`. */
export function waitingText(of: Omit<Waiting, 'device'>): string {
  const { ahead, etaMs, isRunning, isServed, runs } = of;
  const done = etaMs === null ? '' : `, done in ${formatEstimate(etaMs / 1e3)}`;
  if (isRunning) {
    return `${plural(runs, 'run')} left, ${runs === 1 ? 'running now' : 'one running now'}${done}`;
  }
  const toCome = `${plural(runs, 'run')} to come`;
  if (!isServed) return `${toCome}; no worker takes them now`;
  return `${toCome}, ${ahead > 0 ? `behind ${plural(ahead, 'other run')}` : 'next in the queue'}${done}`;
}
