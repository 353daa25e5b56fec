import { type Comparison, compareBits } from './compare';
import type { Kernel, Tensor } from './kernel';
import { canCompareWhole, ProductReference } from './matmul/verify';
import { opOf } from './ops';
import type { Problem } from './problem';
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
  { computes, errorGrowth, exact = false, anyData = false }: VerifyOptions = {},
): OutputCheck {
  const op = opOf(problem);
  const [a, b] = inputs;
  if (!a || inputs.length !== op.inputs(problem.shape).length) {
    throw new TypeError(`${op.id} takes ${op.inputs(problem.shape).length} inputs`);
  }
  const { rows, cols } = op.output(problem.shape);
  const isExact = exact || problem.dtype === 'i32';
  const compare = comparison(problem, a, b, { computes, errorGrowth, exact: isExact, anyData });
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
  { computes, errorGrowth, exact, anyData }: VerifyOptions,
): OutputCheck {
  const { cols } = opOf(problem).output(problem.shape);
  if (computes === 'copy') {
    return (output) => ({ method: 'exact', ...compareBits(output, a, cols) });
  }
  if (problem.op === 'transpose') {
    const expected = referenceTranspose(problem.shape, a);
    return (output) => ({ method: 'exact', ...compareBits(output, expected, cols) });
  }
  if (!b) throw new TypeError('matmul takes two inputs');
  const reference = new ProductReference(
    problem.shape,
    exact ? 'i32' : problem.dtype,
    a,
    b,
    errorGrowth,
  );
  if (anyData) return (output) => ({ method: 'whole', ...reference.compareAnyData(output) });
  return canCompareWhole(problem.shape)
    ? (output) => ({ method: exact ? 'exact' : 'whole', ...reference.compareWhole(output) })
    : (output) => ({ method: 'freivalds', ...reference.compareLarge(output) });
}
