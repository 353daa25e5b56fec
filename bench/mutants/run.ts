import type { OpenDevice } from '@tilemark/core';
import { drawSeed, MAX_FRESH_RATIO, outcomeReason, POLICIES, runVariant } from '@tilemark/core';
import {
  bufferBytes,
  feasible,
  isBatch,
  KERNELS,
  type Kernel,
  type OpId,
  type Problem,
  parseShape,
  type Regime,
  resolveVariant,
} from '@tilemark/kernels';
import type { Mutant } from './mutant';

/** A cell of the table: what became of a kernel on a problem. */
export type Fate =
  | { readonly kind: 'caught'; readonly by: string }
  | { readonly kind: 'passed'; readonly rms: number }
  | { readonly kind: 'none'; readonly why: string };

/** Sets of buffers: inputs differ from set to set, which some mutants only show then. */
const SETS = 3;

const FEWEST_SAMPLES = 4;

/** On a software adapter, mutants that show themselves late are tried up to this much work. */
const MOST_WORK = { late: 2 ** 20, timed: 2 ** 29 };

/** A shape for an op: of a product, M x N x K; of a transpose, M x N of it. */
export function problemOf(
  op: OpId,
  size: string,
  dtype: Problem['dtype'],
  regime?: Regime,
): Problem {
  const [m = '1', n = m] = size.split('x');
  const text = op === 'matmul' ? size : `${m}x${n}`;
  const problem = { op, shape: parseShape(op, text, '--sizes'), dtype } as Problem;
  return regime ? { ...problem, regime } : problem;
}

/** Puts a mutant through a whole run, as if it were a kernel of the catalogue. */
export async function fateOf(
  device: OpenDevice,
  { epilogue, kernel, samples, isTimed = false, isWrongOn }: Mutant,
  asked: Problem,
  seed = drawSeed(),
): Promise<Fate> {
  const problem = epilogue ? ({ ...asked, epilogue } as Problem) : asked;
  const isWhole = !isBatch(problem) || kernel.batches;
  if (!isWhole || !isWrongOn(problem)) return { kind: 'none', why: 'not wrong there' };
  const most = isTimed ? MOST_WORK.timed : MOST_WORK.late;
  if (samples && device.identity.class !== 'gpu' && workOf(problem) > most) {
    return { kind: 'none', why: 'so many dispatches take minutes here' };
  }
  const kernels = KERNELS as Kernel[];
  kernels.push(kernel);
  try {
    return await run(device, kernel, problem, { samples, isTimed, seed });
  } finally {
    kernels.splice(kernels.indexOf(kernel), 1);
  }
}

/** The same of a right kernel. */
export const fateOfRight = (
  device: OpenDevice,
  kernel: Kernel,
  problem: Problem,
  seed = drawSeed(),
): Promise<Fate> => run(device, kernel, problem, { isTimed: false, seed });

/** Multiply-adds of a product; elements of a transpose. */
const workOf = ({ shape }: Problem): number =>
  Object.values(shape).reduce((product: number, size: number) => product * size, 1);

async function run(
  device: OpenDevice,
  kernel: Kernel,
  problem: Problem,
  {
    samples,
    isTimed,
    seed,
  }: { readonly samples?: number | undefined; readonly isTimed: boolean; readonly seed: number },
): Promise<Fate> {
  const { executor, identity, capabilities } = device;
  const variant = { kernel: kernel.id, tunables: resolveVariant(kernel.id, {}).tunables };
  const fit = feasible(variant, problem, capabilities);
  if (!fit.ok) return { kind: 'none', why: fit.why };
  const policy = {
    ...POLICIES.smoke,
    ...(isTimed && { ...POLICIES.default, minSampleNs: 0, warmup: { samples: 1, ns: 0 } }),
    minSamples: samples ?? FEWEST_SAMPLES,
    // Slow adapters too: what shows itself late must have its samples.
    minSamplesSlow: samples ?? 2,
    minTotalNs: 0,
    maxWallNs: Number.POSITIVE_INFINITY,
    interval: Number.POSITIVE_INFINITY,
    timeUpload: false,
    // What shows itself late, in so many dispatches.
    ...(samples && { stretch: { dispatches: 64, ns: Number.POSITIVE_INFINITY } }),
  };
  const { inputs, output } = bufferBytes(problem);
  const setBytes = inputs.reduce((sum, bytes) => sum + bytes, output);
  const outcome = await runVariant(executor, variant, problem, policy, capabilities, {
    deviceClass: identity.class,
    lastLevelCacheBytes: (SETS * setBytes) / 2,
    nowNs: () => performance.now() * 1e6,
    seed,
  });
  const reason = outcomeReason(outcome) ?? '';
  switch (outcome.kind) {
    case 'measured':
      return isTimed && (outcome.measurement.verification.freshRatio ?? 0) > MAX_FRESH_RATIO
        ? { kind: 'caught', by: 'takes longer on new inputs' }
        : { kind: 'passed', rms: outcome.measurement.verification.rms };
    case 'skipped':
      return { kind: 'none', why: reason };
    case 'failed':
      if (outcome.stage !== 'verify') throw new Error(`${kernel.id}: ${reason}`);
      return { kind: 'caught', by: reason };
    default:
      return { kind: 'caught', by: reason };
  }
}
