import { BYTES_PER_ELEMENT, type Dtype } from '../dtype';
import type { Op } from '../op';
import type { MatmulShape, Problem } from '../problem';

const flops = ({ m, n, k }: MatmulShape) => 2 * m * n * k;

/** C[m x n] = A[m x k] B[k x n]: 2mnk operations on mk + kn + mn elements. */
export const matmul = {
  id: 'matmul',
  title: 'Matrix multiply',
  dimensions: ['M', 'N', 'K'],
  rateUnit: 'GFLOP/s',
  sizes: ({ m, n, k }: MatmulShape) => [m, n, k],
  shape: ([m = 1, n = 1, k = 1]) => ({ m, n, k }),
  inputs: ({ m, n, k }: MatmulShape) => [
    { rows: m, cols: k },
    { rows: k, cols: n },
  ],
  output: ({ m, n }: MatmulShape) => ({ rows: m, cols: n }),
  flops,
  bytes: ({ m, n, k }: MatmulShape, dtype: Dtype) =>
    (m * k + k * n + m * n) * BYTES_PER_ELEMENT[dtype],
  rate: (problem: Problem, ns: number) => flops(matmulShape(problem)) / ns,
} satisfies Op;

/** The shape of a problem known to be a matmul. Throws TypeError for another op's. */
export function matmulShape(problem: Problem): MatmulShape {
  if (problem.op !== 'matmul') throw new TypeError(`expected a matmul, got ${problem.op}`);
  return problem.shape;
}
