import {
  bareVariant,
  type Problem,
  shapeText,
  type Variant,
  variantAddress,
} from '@tilemark/kernels';
import type { Contrast } from '../measure/verdict';
import type { PlannedRun } from '../plan/expansion';
import type { Found } from './tune';

/**
 * Searches as jobs of a grid: sweeps that grow. What to run next is a function of the request and of
 * the runs so far, so any process may go on with it, and nothing is lost with one: the loop of the
 * command line is replayed from its start, its questions answered from the runs, up to the first
 * question that no run has answered. That one is run next.
 */

/** A run to add to a tuning. With a rival it is a duel. */
export type WantedRun = Pick<PlannedRun, 'variant' | 'address' | 'policy' | 'problem' | 'rival'>;

/** A run of a tuning, as far as the search is concerned. */
export interface TuningRun extends Pick<WantedRun, 'address' | 'policy' | 'problem' | 'rival'> {
  /** Null until it has ended. */
  readonly outcome: Found | null;
  /** Of its turns with the rival; null: it has none, or they prove nothing. */
  readonly contrast: Contrast | null;
  /** How long it took, ns; 0 until it has ended. */
  readonly spentNs: number;
}

/** A variant is screened, measured, and set against another at most once per problem. */
export const keyOf = ({
  address,
  policy,
  problem,
  rival,
}: Pick<WantedRun, 'address' | 'policy' | 'problem' | 'rival'>) =>
  [
    ...[policy, shapeText(problem), address],
    ...(rival ? [variantAddress(rival.variant)] : []),
  ].join(' ');

/** What is to be run, or what was found. */
export type TuningStep<Decision> =
  | { readonly wanted: readonly WantedRun[]; readonly decision: null }
  | { readonly wanted: null; readonly decision: Decision };

/** Ends the replay: what it asks has not been measured. */
class Unanswered extends Error {
  override readonly name = 'Unanswered';
  constructor(readonly wanted: readonly WantedRun[]) {
    super('not measured yet');
  }
}

/**
 * Points under way, once so many were tried. A few, so that a worker never waits for a decision; and
 * a sixteenth of those tried, because the replay of a long search takes a second of the grid's time.
 */
export const pointsAhead = (tried: number): number => Math.max(3, Math.floor(tried / 16));

/** Answers given before the replay lets others of its process have a turn. */
const ANSWERS_PER_TURN = 20;

/** What a loop is replayed with. */
export interface Replayed {
  /** The time of the runs that were asked about so far, and of those before them. */
  readonly nowNs: () => number;
  /** What a run found. Ends the replay if it has not ended; `following` is then wanted, too. */
  readonly answerTo: (
    run: WantedRun,
    following?: () => readonly WantedRun[],
  ) => Promise<{ readonly outcome: Found; readonly contrast: Contrast | null }>;
}

/**
 * The next step of a search. Its time is that of the runs themselves: waiting in a queue, for other
 * devices of the machine, or for a worker that was paused or lost, costs nothing. A run that the
 * search of this release would not have asked for counts for its time alone, and one that was tried
 * again for its last outcome.
 *
 * @param runs in the order in which they were added
 */
export async function replay<Decision>(
  runs: readonly TuningRun[],
  search: (replayed: Replayed) => Promise<Decision>,
): Promise<TuningStep<Decision>> {
  let totalNs = 0;
  const known = new Map<string, TuningRun & { readonly untilNs: number }>();
  for (const run of runs) {
    totalNs += run.spentNs;
    known.set(keyOf(run), { ...run, untilNs: totalNs });
  }
  let nowNs = 0;
  let answers = 0;
  const answerTo: Replayed['answerTo'] = async (run, following = () => []) => {
    if (++answers % ANSWERS_PER_TURN === 0) await new Promise((resolve) => setTimeout(resolve));
    const answer = known.get(keyOf(run));
    if (!answer?.outcome) throw new Unanswered([run, ...following()]);
    nowNs = Math.max(nowNs, answer.untilNs);
    return { outcome: answer.outcome, contrast: answer.contrast };
  };
  try {
    return { wanted: null, decision: await search({ nowNs: () => nowNs, answerTo }) };
  } catch (error) {
    if (error instanceof Unanswered) return { wanted: error.wanted, decision: null };
    throw error;
  }
}

/** The run that measures a variant on a problem under a policy, or lets it duel. */
export const wantedRun = (
  problem: Problem,
  point: Variant & { readonly address: string },
  policy: PlannedRun['policy'],
  rival?: Variant,
): WantedRun => ({
  ...{ problem, variant: bareVariant(point), address: point.address, policy },
  ...(rival && { rival: { variant: bareVariant(rival) } }),
});
