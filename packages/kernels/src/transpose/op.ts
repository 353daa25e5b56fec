/**
 * Transposition: the op, its reference and its ladder of kernels, from a plain copy (the ceiling)
 * and a naive kernel to a swizzled tile; cpu/ for the host. README.md tells the ladder's story,
 * ladder.ts lists the kernels.
 */
import { defineOp } from '../problem/op';
import reference from './reference.wgsl?raw';

/** B[cols x rows] = A[rows x cols] transposed, both row-major. */
export type TransposeShape = Readonly<Record<'rows' | 'cols', number>>;

/** B[cols x rows] = A[rows x cols] transposed: no arithmetic, every element read and written once. */
export const transpose = defineOp<'rows' | 'cols'>({
  title: 'Transpose',
  dimensions: [
    { name: 'rows', letter: 'R' },
    { name: 'cols', letter: 'C' },
  ],
  counts: 'bytes',
  rival: 'transpose/swizzled',
  verb: 'moves',
  tensors: ['A', 'B'],
  inputs: ({ rows, cols }) => [{ rows, cols }],
  output: ({ rows, cols }) => ({ rows: cols, cols: rows }),
  tiled: (rows, cols) => ({ rows, cols }),
  flops: () => 0,
  terms: () => 1,
  verification: {
    reference,
    steps: () => 1,
    elements: (shape, line, rows, cols) => ({
      values: rows.flatMap((row) => {
        const column = line(0, { first: row, step: shape.cols, length: shape.rows });
        return cols.map((col) => column[col] ?? 0);
      }),
      scales: null,
    }),
  },
});
