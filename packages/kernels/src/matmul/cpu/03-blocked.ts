import { hostKernel, tunable } from '../../kernel/kernel';
import type { Rows } from '../../numbers';
import type { Tensor } from '../../problem/scalar';
import type { MatmulShape } from '../op';

export const BLOCK = tunable(
  'BLOCK',
  'Side of the blocks of B, which should fit in the cache',
  [16, 32, 64, 128, 256],
  64,
);

/** Blocks of B stay in the cache while row after row of A uses them. */
export const cpuBlocked = hostKernel({
  id: 'matmul/cpu-blocked',
  op: 'matmul',
  rung: 3,
  idea: 'Cache-blocked loops on the host, along rows of B and C',
  dtypes: ['f32', 'i32'],
  tunables: [BLOCK],
  run: (values, problem, [a, b], c, rows) => {
    if (!a || !b) throw new TypeError('matmul takes two inputs');
    multiplyRows(problem.shape, values.BLOCK, a, b, c, rows);
  },
});

/** Computes rows of C = A B, reading B block by block; rows are counted through a batch. */
export function multiplyRows(
  shape: MatmulShape,
  block: number,
  a: Tensor,
  b: Tensor,
  c: Tensor,
  { first, end }: Rows,
): void {
  const { m, n, k } = shape;
  for (let product = Math.floor(first / m); product * m < end; product++) {
    const factor = b.subarray(product * k * n, (product + 1) * k * n);
    multiplyBlocks(shape, block, a, factor, c, {
      first: Math.max(first, product * m),
      end: Math.min(end, (product + 1) * m),
    });
  }
}

/** Rows of A and C by one B. */
function multiplyBlocks(
  { n, k }: MatmulShape,
  block: number,
  a: Tensor,
  b: Tensor,
  c: Tensor,
  { first, end }: Rows,
): void {
  c.fill(0, first * n, end * n);
  for (let p0 = 0; p0 < k; p0 += block) {
    const pEnd = Math.min(p0 + block, k);
    for (let col0 = 0; col0 < n; col0 += block) {
      const colEnd = Math.min(col0 + block, n);
      for (let row = first; row < end; row++) {
        for (let p = p0; p < pEnd; p++) {
          const factor = a[row * k + p] as number;
          for (let col = col0; col < colEnd; col++) {
            const at = row * n + col;
            c[at] = (c[at] as number) + factor * (b[p * n + col] as number);
          }
        }
      }
    }
  }
}
