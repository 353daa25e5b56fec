/**
 * Matrix multiplication: the op, its ladder of kernels from naive to tensor cores (numbered files,
 * cpu/ for the host), and how products are verified. README.md tells the
 * ladder's story, ../registry.ts lists the kernels, bound.ts has the bounds of an element.
 */
import { defineOp } from '../op';
import { compareLarge, sharedVerification } from './large';
import norms from './norms.wgsl';
import reference from './reference.wgsl';
import { canCompareWhole, compareWhole } from './verify';

/** C[m x n] = A[m x k] B[k x n], all row-major. */
export type MatmulShape = Readonly<Record<'m' | 'n' | 'k', number>>;

/** C[m x n] = A[m x k] B[k x n]: 2mnk operations on mk + kn + mn elements. */
export const matmul = defineOp<'m' | 'n' | 'k'>({
  title: 'Matrix multiply',
  dimensions: [
    { name: 'm', letter: 'M' },
    { name: 'n', letter: 'N' },
    { name: 'k', letter: 'K' },
  ],
  counts: 'flops',
  verb: 'computes',
  tensors: [
    { name: 'A', at: [0, 1] },
    { name: 'B', at: [1, 0] },
    { name: 'C', at: [1, 1] },
  ],
  inputs: ({ m, n, k }) => [
    { rows: m, cols: k },
    { rows: k, cols: n },
  ],
  output: ({ m, n }) => ({ rows: m, cols: n }),
  tiled: (rows, cols) => ({ m: rows, n: cols, k: Math.max(rows, cols) }),
  touches: (tile, { k }) => [{ ...tile, col: 0, cols: k }, { ...tile, row: 0, rows: k }, tile],
  flops: ({ m, n, k }) => 2 * m * n * k,
  terms: ({ k }) => k,
  verification: {
    check: (shape, inputs, options) =>
      options.anyData || canCompareWhole(shape, options.sampled)
        ? compareWhole(shape, inputs, options)
        : compareLarge(shape, inputs, options),
    shared: sharedVerification,
    onDevice: {
      reference,
      steps: ({ k }) => k,
      norms: {
        wgsl: norms,
        lines: ({ m, n, k }) => [
          { input: 0, count: m, length: k, pitch: k, step: 1 },
          { input: 1, count: n, length: k, pitch: 1, step: n },
        ],
      },
    },
  },
});
