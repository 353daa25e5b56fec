import type { Problem } from '../problem/problem';
import type { Tensor } from '../problem/scalar';
import type { Verdict } from '../verify/verification';
import { outputCheck, type VerifyOptions } from '../verify/verify';
import type { MatmulShape } from './op';

/** A product of n x k and k x n. */
export const product = (n: number, dtype: Problem['dtype'] = 'f32', k = n): Problem<'matmul'> => ({
  op: 'matmul',
  shape: { m: n, n, k },
  dtype,
});

/** The verdict on one output. */
export const verify = (
  problem: Problem,
  inputs: readonly Tensor[],
  output: Tensor,
  options?: VerifyOptions,
): Verdict => outputCheck(problem, inputs, options)(output);

/** C = A B as a correct kernel computes it, each sum rounded once to the dtype. */
export function rightOutput(problem: Problem<'matmul'>, [a, b]: readonly Tensor[]): Tensor {
  if (!a || !b) throw new Error('two inputs');
  const exact = referenceMatmul(problem.shape, a, b);
  return problem.dtype === 'i32' ? Int32Array.from(exact) : Float32Array.from(exact);
}

/** What a mutation of a correct output needs to know. */
export interface RightProduct {
  readonly problem: Problem<'matmul'>;
  readonly inputs: readonly Tensor[];
  /** The output for other inputs, as a previous run left it. */
  readonly other: () => Tensor;
}

/** Errors that kernels make, each applied to a correct output. */
export const MUTATIONS: Record<string, (c: RightProduct, out: Tensor) => void> = {
  'a dropped K step': ({ problem, inputs }, out) => {
    const { m, n, k } = problem.shape;
    const [a, b] = inputs as [Tensor, Tensor];
    const p = k - 1;
    for (let row = 0; row < m; row++) {
      for (let col = 0; col < n; col++) {
        out[row * n + col]! -= a[row * k + p]! * b[p * n + col]!;
      }
    }
  },
  'a dropped K step in one element': ({ problem, inputs }, out) => {
    const { n, k } = problem.shape;
    const [a, b] = inputs as [Tensor, Tensor];
    const [row, col] = [45, 39];
    out[row * n + col]! -= a[row * k + 5]! * b[5 * n + col]!;
  },
  'swapped indices': ({ problem }, out) => {
    const { n } = problem.shape;
    const before = out.slice();
    for (let row = 0; row < n; row++) {
      for (let col = 0; col < n; col++) out[row * n + col] = before[col * n + row]!;
    }
  },
  'swapped indices in one tile': ({ problem }, out) => {
    const { n } = problem.shape;
    const before = out.slice();
    for (let row = 0; row < 16; row++) {
      for (let col = 0; col < 16; col++) {
        out[(32 + row) * n + 32 + col] = before[(32 + col) * n + 32 + row]!;
      }
    }
  },
  'one wrong tile': ({ problem }, out) => {
    const { n } = problem.shape;
    for (let row = 40; row < 48; row++)
      out.copyWithin(row * n + 40, (row - 8) * n + 32, (row - 8) * n + 40);
  },
  'one unwritten element': (_case, out) => {
    out[out.length - 700] = out instanceof Int32Array ? 0x7fc1_7fc1 : Number.NaN;
  },
  'one infinity': ({ problem }, out) => {
    if (problem.dtype !== 'i32') out[777] = Number.POSITIVE_INFINITY;
    else out[777]! += 1;
  },
  'nothing written': (_case, out) => {
    out.fill(out instanceof Int32Array ? 0x7fc1_7fc1 : Number.NaN);
  },
  'the output of the run before': ({ other }, out) => out.set(other()),
};

/** C = A B in f64, by the definition, in order of p. */
export function referenceMatmul({ m, n, k }: MatmulShape, a: Tensor, b: Tensor): Float64Array {
  const out = new Float64Array(m * n);
  for (let row = 0; row < m; row++) {
    for (let p = 0; p < k; p++) {
      for (let col = 0; col < n; col++) out[row * n + col]! += a[row * k + p]! * b[p * n + col]!;
    }
  }
  return out;
}
