import { type Comparison, compareBits } from './compare';
import type { Kernel, Tensor } from './kernel';
import { canCompareWhole, compareLarge, compareWhole } from './matmul/verify';
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
  /** The inputs are integer-valued (`InputMode` exact): compare with `==`. */
  readonly exact?: boolean;
}

/**
 * Checks an output against the f64 reference. `worst` of the verdict is null
 * when it is right. Chooses the method by what it would cost: bits for
 * transposes and copies, the whole product where that takes under about 0.3 s,
 * Freivalds and whole rows and columns where it does not.
 */
export function verify(
  problem: Problem,
  inputs: readonly Tensor[],
  output: Tensor,
  { computes, exact = false }: VerifyOptions = {},
): Verdict {
  const op = opOf(problem);
  const [a, b] = inputs;
  if (!a || inputs.length !== op.inputs(problem.shape).length) {
    throw new TypeError(`${op.id} takes ${op.inputs(problem.shape).length} inputs`);
  }
  const { rows, cols } = op.output(problem.shape);
  if (output.length !== rows * cols) {
    throw new TypeError(`the output has ${output.length} elements, not ${rows * cols}`);
  }
  if (computes === 'copy') return { method: 'exact', ...compareBits(output, a, cols) };
  if (problem.op === 'transpose') {
    const expected = referenceTranspose(problem.shape, a);
    return { method: 'exact', ...compareBits(output, expected, cols) };
  }
  if (!b) throw new TypeError('matmul takes two inputs');
  return verifyMatmul(problem, a, b, output, exact || problem.dtype === 'i32');
}

function verifyMatmul(
  problem: MatmulProblem,
  a: Tensor,
  b: Tensor,
  output: Tensor,
  exact: boolean,
): Verdict {
  if (!canCompareWhole(problem.shape)) {
    return { method: 'freivalds', ...compareLarge(problem, a, b, output, exact) };
  }
  return {
    method: exact ? 'exact' : 'whole',
    ...compareWhole(problem, a, b, output, exact),
  };
}
