import { pauses } from '../schema/maxima';
import type { Contrast } from '../statistics/verdict';
import { type Asking, type Found, keyOf, type WantedRun } from './asking';

/**
 * Searches as jobs of a grid: sweeps that grow. What to run next is a function of the request and of
 * the runs so far, so any process may go on with it, and nothing is lost with one: the search
 * is replayed from its start, what it asks for answered from the runs, up to the first run that has
 * not ended. That one is run next.
 */

/** A run of a tuning, as far as the search is concerned. */
export interface TuningRun extends Omit<WantedRun, 'variant'> {
  /** Null until it has ended. */
  readonly outcome: Found | null;
  /** Of its turns with the rival; null: it has none, or they prove nothing. */
  readonly contrast: Contrast | null;
  /** How long it took, ns; 0 until it has ended. */
  readonly spentNs: number;
}

/** What is to be run, or what was found. */
export type TuningStep<Decision> =
  | { readonly wanted: readonly WantedRun[]; readonly decision: null }
  | { readonly wanted: null; readonly decision: Decision };

/**
 * Points under way, once so many were tried. A few, so that a worker never waits for a decision; and
 * a sixteenth of those tried, because the replay of a long search takes a second of the grid's time.
 */
export const pointsAhead = (tried: number): number => Math.max(3, Math.floor(tried / 16));

/**
 * The next step of a search. Its time is that of the runs themselves: waiting in a queue, for other
 * devices of the machine, or for a worker that was paused or lost, costs nothing. A run that the
 * search of this release would not have asked for counts for its time alone, and one that was tried
 * again for its last outcome.
 *
 * @param runs in the order in which they were added
 * @param searchBy begins the search; its clock tells the time of the runs that were asked about so far
 */
export async function replay<Decision>(
  runs: readonly TuningRun[],
  searchBy: (nowNs: () => number) => Asking<Found, Decision>,
): Promise<TuningStep<Decision>> {
  let totalNs = 0;
  const known = new Map<string, TuningRun & { readonly untilNs: number }>();
  for (const run of runs) {
    totalNs += run.spentNs;
    known.set(keyOf(run), { ...run, untilNs: totalNs });
  }
  let nowNs = 0;
  const pause = pauses();
  const search = searchBy(() => nowNs);
  let step = search.next();
  while (!step.done) {
    await pause();
    const { following, run } = step.value;
    const answer = known.get(keyOf(run));
    if (!answer?.outcome) return { wanted: [run, ...following()], decision: null };
    nowNs = Math.max(nowNs, answer.untilNs);
    step = search.next(answer);
  }
  return { wanted: null, decision: step.value };
}
