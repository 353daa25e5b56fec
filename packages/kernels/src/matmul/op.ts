/**
 * Matrix multiplication: the op, its ladder of kernels from naive to tensor cores (numbered files,
 * cpu/ for the host), and how products are verified. README.md tells the
 * ladder's story, ladder.ts lists the kernels.
 */
import { defineOp, type Sizes } from '../problem/op';
import norms from './norms.wgsl?raw';
import { columnsOfB, someElements } from './reference';
import reference from './reference.wgsl?raw';

/** C[m x n] = A[m x k] B[k x n]; b of them, one after the other. The dtype says how B is stored. */
export type MatmulShape = Sizes<'m' | 'n' | 'k', 'b'>;

/** C[m x n] = A[m x k] B[k x n], b times: 2bmnk operations on b (mk + kn + mn) elements. */
export const matmul = defineOp<'m' | 'n' | 'k', 'b'>({
  title: 'Matrix multiply',
  dimensions: [
    { name: 'b', letter: 'B', default: 1 },
    { name: 'm', letter: 'M' },
    { name: 'n', letter: 'N' },
    { name: 'k', letter: 'K' },
  ],
  counts: 'flops',
  rival: 'matmul/warp-tile',
  verb: 'computes',
  tensors: ['A', 'B', 'C'],
  inputs: ({ b = 1, m, n, k }) => [
    { rows: b * m, cols: k },
    { rows: b * k, cols: n },
  ],
  output: ({ b = 1, m, n }) => ({ rows: b * m, cols: n }),
  tiled: (rows, cols) => ({ m: rows, n: cols, k: Math.max(rows, cols) }),
  flops: ({ b = 1, m, n, k }) => 2 * b * m * n * k,
  terms: ({ k }) => k,
  verification: {
    reference,
    vectors: ({ n, k }, [, order]) => k % 64 === 0 && n % 4 === 0 && order !== 'transposed',
    steps: ({ k }) => k,
    elements: someElements,
    norms: {
      wgsl: norms,
      lines: ({ b = 1, m, n, k }, [, order]) => [
        { input: 0, count: b * m, each: m, length: k, pitch: k, step: 1 },
        { input: 1, count: b * n, each: n, length: k, ...columnsOfB({ m, n, k }, order) },
      ],
    },
  },
});
