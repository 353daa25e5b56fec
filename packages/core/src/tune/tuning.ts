import {
  bufferBytes,
  bytesText,
  DTYPES,
  type Problem,
  refuseIf,
  type Variant,
  variantAddress,
} from '@tilemark/kernels';
import { z } from 'zod';
import { profileSchema } from '../measure/device';
import { seedSchema } from '../measure/seed';
import { whySkipped } from '../plan/counts';
import type { PlannedRun } from '../plan/expansion';
import { type PlannableDevice, problemSchema } from '../plan/spec';
import type { Contrast } from '../rank/head-to-head';
import { Search } from './search';
import type { Point, TuningSpace } from './space';
import { searchedKernels, spacesOf } from './spaces';
import { type Found, tune } from './tune';

/**
 * Tuning as a job of a grid: a sweep that grows. What to run next is a function of the request and
 * of the runs so far, so any process may go on with it, and nothing is lost with one: the loop of
 * `tune` is replayed from its start, its questions answered from the runs, up to the first question
 * that no run has answered. That one is run next.
 */

/** What a tuning searches, as it is kept with its sweep. */
export const tuningRequestSchema = z.object({
  problem: problemSchema,
  profile: profileSchema,
  /** Of the search: its proposals depend on it and on what was measured. */
  seed: seedSchema,
  budgetSeconds: z.number().positive(),
});
export type TuningRequest = z.infer<typeof tuningRequestSchema>;

/** Budgets of a tuning, s. */
export const TUNING_BUDGET = { least: 10, most: 3_600, usual: 300 };

/** What a tuning found. */
export const tuningDecisionSchema = z.object({
  /** Address of the variant to use; null: nothing that was measured is plausible. */
  winner: z.string().nullable(),
  /** Why screening ended: its share of the budget was used, or nothing was left to try. */
  stop: z.enum(['budget', 'exhausted']),
  /** Variants that were screened. */
  screened: z.number().int(),
  /** `a` is `ratio` times as fast as `b`, with its 95% interval. */
  duels: z.array(
    z.object({
      a: z.string(),
      b: z.string(),
      ratio: z.number(),
      low: z.number(),
      high: z.number(),
    }),
  ),
});
export type TuningDecision = z.infer<typeof tuningDecisionSchema>;

/** A run to add to a tuning. With a rival it is a duel. */
export type WantedRun = Pick<PlannedRun, 'variant' | 'address' | 'policy' | 'rival'>;

/** A run of a tuning, as far as the search is concerned. */
export interface TuningRun extends Pick<WantedRun, 'address' | 'policy' | 'rival'> {
  /** Null until it has ended. */
  readonly outcome: Found | null;
  /** Of its turns with the rival; null: it has none, or they prove nothing. */
  readonly contrast: Contrast | null;
  /** How long it took, ns; 0 until it has ended. */
  readonly spentNs: number;
}

/** A variant is screened, measured, and set against another at most once. */
export const keyOf = ({
  address,
  policy,
  rival,
}: Pick<WantedRun, 'address' | 'policy' | 'rival'>) =>
  [policy, address, ...(rival ? [variantAddress(rival.variant)] : [])].join(' ');

/** What is to be run, or what was found. */
export type TuningStep =
  | { readonly wanted: readonly WantedRun[]; readonly decision: null }
  | { readonly wanted: null; readonly decision: TuningDecision };

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

/**
 * The next step of a tuning. Its time is that of the runs themselves: waiting in a queue, for other
 * devices of the machine, or for a worker that was paused or lost, costs nothing. A run that the search of this release would not have
 * asked for counts for its time alone, and one that was tried again for its last outcome.
 *
 * @param runs in the order in which they were added
 */
export async function tuningStep(
  { budgetSeconds, seed }: TuningRequest,
  spaces: readonly TuningSpace[],
  runs: readonly TuningRun[],
): Promise<TuningStep> {
  let totalNs = 0;
  const known = new Map<string, TuningRun & { readonly untilNs: number }>();
  for (const run of runs) {
    totalNs += run.spentNs;
    known.set(keyOf(run), { ...run, untilNs: totalNs });
  }
  let nowNs = 0;
  let answers = 0;
  const answerTo = async (run: WantedRun, following: readonly WantedRun[] = []) => {
    if (++answers % ANSWERS_PER_TURN === 0) await new Promise((resolve) => setTimeout(resolve));
    const answer = known.get(keyOf(run));
    if (!answer?.outcome) throw new Unanswered([run, ...following]);
    nowNs = Math.max(nowNs, answer.untilNs);
    return { outcome: answer.outcome, contrast: answer.contrast };
  };
  try {
    const { duels, screened, stop, winner } = await tune<Found>({
      search: new Search(spaces, seed),
      budgetNs: budgetSeconds * 1e9,
      nowNs: () => nowNs,
      ahead: pointsAhead,
      measure: async (point, policy, following) => {
        const more = following.map((each) => wantedRun(each, policy));
        return (await answerTo(wantedRun(point, policy), more)).outcome;
      },
      duel: async (a, b) => (await answerTo(wantedRun(a, 'default', b))).contrast,
      defaults: spaces.flatMap((space) => space.initial() ?? []),
    });
    const decision: TuningDecision = {
      ...{ stop, winner: winner?.point.address ?? null, screened: screened.length },
      duels: duels.map(({ a, b, contrast: { high, low, ratio } }) => ({
        ...{ a: a.address, b: b.address, ratio, low, high },
      })),
    };
    return { wanted: null, decision };
  } catch (error) {
    if (error instanceof Unanswered) return { wanted: error.wanted, decision: null };
    throw error;
  }
}

const wantedRun = (point: Point, policy: PlannedRun['policy'], rival?: Point): WantedRun => ({
  ...{ variant: variantOf(point), address: point.address, policy },
  ...(rival && { rival: { variant: variantOf(rival) } }),
});
const variantOf = ({ kernel, tunables }: Variant): Variant => ({ kernel, tunables });

/** A device as tuning sees it. */
export type TunableDevice = PlannableDevice & { readonly name: string };

/**
 * The kernels to search for a problem on a device, as far as they fit it. Throws InputError at the
 * field at fault.
 */
export function tuningSpaces(
  { problem, profile }: Pick<TuningRequest, 'problem' | 'profile'>,
  { capabilities, class: deviceClass, name }: TunableDevice,
): TuningSpace[] {
  refuseIf(
    deviceClass === 'cpu',
    'The kernels of a CPU have so few variants that a sweep tries them all: submit one instead.',
    'device',
  );
  refuseIf(
    deviceClass === 'browser' && profile !== 'default',
    'A browser has one profile: default.',
    'profile',
  );
  const searched = searchedKernels(problem).map((kernel) => ({ kernel }));
  refuseIf(
    !searched.some(({ kernel }) => kernel.runsOn === 'gpu'),
    `No GPU kernel of ${problem.op} computes ${problem.dtype}.`,
    'problem.dtype',
  );
  const { feature } = DTYPES[problem.dtype];
  const isMissing = feature !== null && capabilities?.features.includes(feature.name) === false;
  refuseIf(
    // Devices are described under `default`; `fast` may have features that `default` withholds.
    isMissing && profile === 'default',
    `${problem.dtype} needs the feature ${feature?.name}, which ${name} does not have.`,
    'problem.dtype',
  );
  const largest = largestBuffer(problem);
  const allowed = capabilities
    ? Math.min(capabilities.maxStorageBufferBindingSize, capabilities.maxBufferSize)
    : Number.POSITIVE_INFINITY;
  refuseIf(
    largest > allowed,
    `The problem needs ${bytesText(largest)} in one buffer, guards against stray writes included; ${name} allows ${bytesText(allowed)}.`,
    'problem.shape',
  );
  return spacesOf(
    searched,
    problem,
    { class: deviceClass, device: name },
    (variant) => whySkipped({ variant, problem, profile }, capabilities),
    'device',
  );
}

function largestBuffer(problem: Problem): number {
  const { inputs, output } = bufferBytes(problem);
  return Math.max(...inputs, output);
}
