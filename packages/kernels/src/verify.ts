import { type Comparison, compareBits } from './compare';
import type { Dtype } from './dtype';
import type { HostPool } from './host/job';
import { type InputChoice, inputTensors } from './inputs';
import type { Kernel, Tensor } from './kernel';
import { allocateShared, LARGE_STAGES, type LargeReference, largeReference } from './matmul/large';
import { NormBounds } from './matmul/norm-bounds';
import { canCompareWhole, ProductReference } from './matmul/verify';
import { compareLarge } from './matmul/verify-large';
import { opOf } from './ops';
import type { MatmulProblem, Problem } from './problem';
import { referenceTranspose } from './transpose/reference';

/** How an output was checked. */
export type VerifyMethod = 'whole' | 'exact' | 'freivalds';

export interface Verdict extends Comparison {
  readonly method: VerifyMethod;
}

export interface VerifyOptions {
  /** What the kernel computes, see `Kernel.computes`. */
  readonly computes?: Kernel['computes'];
  /** See `Kernel.errorGrowth`. */
  readonly errorGrowth?: Kernel['errorGrowth'];
  /** The inputs are integer-valued (`InputMode` exact): compare with `==`. */
  readonly exact?: boolean;
  /** The inputs of a matmul may have any mean: the whole product is compared, by a wider bound. */
  readonly anyData?: boolean;
}

/** Checks an output of a problem; `worst` of the verdict is null when it is right. */
export type OutputCheck = (output: Tensor) => Verdict;

/** A check of inputs that it made itself. */
export interface GeneratedCheck {
  readonly check: OutputCheck;
  /** Whether they stay in memory with it; false: only what follows from them, which is little. */
  readonly holdsInputs: boolean;
}

/**
 * What outputs of a problem with these inputs are checked with, against the f64
 * reference. Chooses the method by what it would cost: bits for transposes and copies,
 * the whole product where that takes under about 0.3 s, Freivalds and whole rows and
 * columns where it does not. Keeps what follows from the inputs alone, so that checking
 * several outputs of one problem costs less than as many calls of `verify`.
 */
export function outputCheck(
  problem: Problem,
  inputs: readonly Tensor[],
  options: VerifyOptions = {},
): OutputCheck {
  const op = opOf(problem);
  const [a, b] = inputs;
  if (!a || inputs.length !== op.inputs(problem.shape).length) {
    throw new TypeError(`${op.id} takes ${op.inputs(problem.shape).length} inputs`);
  }
  return sized(problem, comparison(problem, a, b, options));
}

/** Elements of two inputs from which threads are quicker even if they have to be started: 2897^2 each. */
const LEAST_SHARED = 2 ** 24;

/**
 * Threads that share a reference. Each takes about 0.1 s to start and to compile its loops, so
 * that fewer gain nothing where another program has one of the cores, and more do not gain much.
 */
const SHARING_THREADS = { least: 4, most: 8 };

/**
 * What outputs of a problem with generated inputs are checked with: `outputCheck`, whose
 * inputs and reference the threads of a pool make together where that takes long. The
 * verdicts are the same to the last bit.
 */
export async function generatedCheck(
  problem: Problem,
  choice: InputChoice,
  options: VerifyOptions = {},
  pool: HostPool | null = null,
): Promise<GeneratedCheck> {
  const threads = Math.min(pool?.threads ?? 1, SHARING_THREADS.most);
  if (!pool || threads < SHARING_THREADS.least || !isWorthSharing(problem, options)) {
    return {
      check: outputCheck(problem, inputTensors(problem, choice), options),
      holdsInputs: true,
    };
  }
  const reference = allocateShared(problem);
  const parts = Array.from({ length: threads }, (_, index) => ({ index, count: threads }));
  try {
    for (const stage of LARGE_STAGES.keys()) {
      await pool.run(parts.map((part) => ({ stage, reference, choice, part })));
    }
  } finally {
    await pool.release();
  }
  const inputs = () => inputTensors(problem, choice) as [Tensor, Tensor];
  const check = sized(problem, largeComparison(problem, reference, inputs, options));
  return { check, holdsInputs: false };
}

function isWorthSharing(
  problem: Problem,
  { computes, anyData }: VerifyOptions,
): problem is MatmulProblem {
  if (problem.op !== 'matmul' || computes || anyData || canCompareWhole(problem.shape))
    return false;
  const { m, n, k } = problem.shape;
  return m * k + k * n >= LEAST_SHARED;
}

/** Refuses outputs of another size. Throws TypeError. */
function sized(problem: Problem, compare: OutputCheck): OutputCheck {
  const { rows, cols } = opOf(problem).output(problem.shape);
  return (output) => {
    if (output.length !== rows * cols) {
      throw new TypeError(`the output has ${output.length} elements, not ${rows * cols}`);
    }
    return compare(output);
  };
}

/** Checks one output, see `outputCheck`. */
export function verify(
  problem: Problem,
  inputs: readonly Tensor[],
  output: Tensor,
  options: VerifyOptions = {},
): Verdict {
  return outputCheck(problem, inputs, options)(output);
}

function comparison(
  problem: Problem,
  a: Tensor,
  b: Tensor | undefined,
  options: VerifyOptions,
): OutputCheck {
  const { cols } = opOf(problem).output(problem.shape);
  if (options.computes === 'copy') {
    return (output) => ({ method: 'exact', ...compareBits(output, a, cols) });
  }
  if (problem.op === 'transpose') {
    const expected = referenceTranspose(problem.shape, a);
    return (output) => ({ method: 'exact', ...compareBits(output, expected, cols) });
  }
  if (!b) throw new TypeError('matmul takes two inputs');
  if (!options.anyData && !canCompareWhole(problem.shape)) {
    return largeComparison(problem, largeReference(problem, a, b), () => [a, b], options);
  }
  const dtype = dtypeOfSums(problem, options);
  const reference = new ProductReference(problem.shape, dtype, a, b, options.errorGrowth);
  if (options.anyData)
    return (output) => ({ method: 'whole', ...reference.compareAnyData(output) });
  const method = dtype === 'i32' ? 'exact' : 'whole';
  return (output) => ({ method, ...reference.compareWhole(output) });
}

function largeComparison(
  problem: MatmulProblem,
  reference: LargeReference,
  inputs: () => readonly [Tensor, Tensor],
  options: VerifyOptions,
): OutputCheck {
  const { aNorms, bNorms } = reference;
  const dtype = dtypeOfSums(problem, options);
  const bounds = new NormBounds(problem.shape, dtype, aNorms, bNorms, options.errorGrowth);
  return (output) => ({
    method: 'freivalds',
    ...compareLarge(output, reference, bounds, inputs),
  });
}

/** `i32` where sums are exact, whatever they are held in. */
function dtypeOfSums({ dtype }: Problem, { exact }: VerifyOptions): Dtype {
  return exact ? 'i32' : dtype;
}
