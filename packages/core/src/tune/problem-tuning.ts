import {
  bufferBytes,
  bytesText,
  DTYPES,
  epilogueFault,
  type Kernel,
  kernelById,
  type Problem,
  refuseIf,
} from '@tilemark/kernels';
import { z } from 'zod';
import { type Profile, profileSchema } from '../measure/device';
import { seedSchema } from '../measure/seed';
import { whySkipped } from '../plan/counts';
import { type PlannableDevice, problemSchema } from '../plan/spec';
import type { Found } from './asking';
import { Climb } from './climb';
import { searchProblem } from './problem-search';
import { pointsAhead, replay, type TuningRun, type TuningStep } from './replay';
import type { TuningSpace } from './space';
import { searchedKernels, spacesOf } from './spaces';

/** What the tuning of a problem searches, as it is kept with its sweep. */
export const tuningRequestSchema = z.object({
  problem: problemSchema,
  /** The only kernel to search; absent: all of ours. */
  kernel: z.string().optional(),
  profile: profileSchema,
  /** Of the search: its proposals depend on it and on what was measured. */
  seed: seedSchema,
  budgetSeconds: z.number().positive(),
});
export type TuningRequest = z.infer<typeof tuningRequestSchema>;

/** Budgets of a tuning, s. */
export const TUNING_BUDGET = { least: 10, most: 3_600, usual: 300 };

/** Variants that took turns: `a` is `ratio` times as fast as `b`, with its 95% interval. */
export const turnsSchema = z.object({
  a: z.string(),
  b: z.string(),
  ratio: z.number(),
  low: z.number(),
  high: z.number(),
});

/** What the tuning of a problem found. */
export const tuningDecisionSchema = z.object({
  /** Address of the variant to use; null: nothing that was measured is plausible. */
  winner: z.string().nullable(),
  /** Why screening ended: its share of the budget was used, or nothing was left to try. */
  stop: z.enum(['budget', 'exhausted']),
  /** Variants that were screened when screening ended; those under way then came after. */
  screened: z.number().int(),
  duels: z.array(turnsSchema),
});
export type TuningDecision = z.infer<typeof tuningDecisionSchema>;

/**
 * The next step of the tuning of a problem.
 *
 * @param runs in the order in which they were added
 */
export const tuningStep = (
  { budgetSeconds, problem, seed }: TuningRequest,
  spaces: readonly TuningSpace[],
  runs: readonly TuningRun[],
): Promise<TuningStep<TuningDecision>> =>
  replay(runs, function* (nowNs) {
    const { duels, screened, stop, winner } = yield* searchProblem<Found>({
      problem,
      climb: new Climb(spaces, seed),
      budgetNs: budgetSeconds * 1e9,
      nowNs,
      ahead: pointsAhead,
      defaults: spaces.flatMap((space) => space.initial() ?? []),
    });
    return {
      stop,
      winner: winner?.point.address ?? null,
      screened: screened.length,
      duels: duels.map(({ a, b, contrast: { high, low, ratio } }) => ({
        a: a.address,
        b: b.address,
        ratio,
        low,
        high,
      })),
    };
  });

/** A device as tuning sees it. */
export type TunableDevice = PlannableDevice & { readonly name: string };

/**
 * Refuses a search of a dtype that the device could not do. Throws InputError at the field at fault.
 *
 * @param field of the dtype
 */
export function checkTunable(
  { dtype, profile }: Pick<Problem, 'dtype'> & { readonly profile: Profile },
  { capabilities, class: deviceClass, name }: TunableDevice,
  field: string,
): void {
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
  const { feature } = DTYPES[dtype];
  const isMissing = feature !== null && capabilities?.features.includes(feature.name) === false;
  refuseIf(
    // Devices are described under `default`; `fast` may have features that `default` withholds.
    isMissing && profile === 'default',
    `${dtype} needs the feature ${feature?.name}, which ${name} does not have.`,
    field,
  );
}

/**
 * The kernels that a request names: one, or all of ours that compute its problem on a GPU. Throws
 * InputError at the field at fault.
 */
export function requestedKernels({
  kernel: id,
  problem,
}: Pick<TuningRequest, 'kernel' | 'problem'>): Kernel[] {
  const { dtype, epilogue, op } = problem;
  if (id === undefined) {
    const ours = searchedKernels(problem).filter(({ runsOn }) => runsOn === 'gpu');
    refuseIf(ours.length === 0, `No GPU kernel of ${op} computes ${dtype}.`, 'problem.dtype');
    return ours;
  }
  const kernel = kernelById(id);
  const { dtypes } = kernel;
  refuseIf(kernel.runsOn !== 'gpu', `${id} runs on a CPU: submit a sweep of it.`, 'kernel');
  refuseIf(kernel.tunables.length === 0, `${id} has no tunables to search.`, 'kernel');
  refuseIf(kernel.op !== op, `${id} computes ${kernel.op}, not ${op}.`, 'problem.op');
  refuseIf(
    !dtypes.includes(dtype),
    `${id} does not compute ${dtype}; it computes ${dtypes.join(', ')}.`,
    'problem.dtype',
  );
  // Not asked for, it is the kernel's own.
  const fault = epilogue === undefined ? null : epilogueFault(kernel, problem);
  refuseIf(fault !== null, `${id} ${fault}.`, 'problem.epilogue');
  return [kernel];
}

/**
 * The kernels to search for a problem on a device, as far as they fit it. Throws InputError at the
 * field at fault.
 */
export function tuningSpaces(
  request: Pick<TuningRequest, 'kernel' | 'problem' | 'profile'>,
  device: TunableDevice,
): TuningSpace[] {
  const { problem, profile } = request;
  const { capabilities, class: deviceClass, name } = device;
  checkTunable({ ...problem, profile }, device, 'problem.dtype');
  const searched = requestedKernels(request).map((kernel) => ({ kernel }));
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
