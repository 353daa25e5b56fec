import { BYTES_PER_ELEMENT, type Dtype } from '../dtype';
import type { Op } from '../op';
import type { Problem, TransposeShape } from '../problem';

const bytes = ({ rows, cols }: TransposeShape, dtype: Dtype) =>
  2 * rows * cols * BYTES_PER_ELEMENT[dtype];

/** B[cols x rows] = A[rows x cols] transposed: no arithmetic, every element read and written once. */
export const transpose = {
  id: 'transpose',
  title: 'Transpose',
  dimensions: ['R', 'C'],
  rateUnit: 'GB/s',
  sizes: ({ rows, cols }: TransposeShape) => [rows, cols],
  shape: ([rows = 1, cols = 1]) => ({ rows, cols }),
  inputs: ({ rows, cols }: TransposeShape) => [{ rows, cols }],
  output: ({ rows, cols }: TransposeShape) => ({ rows: cols, cols: rows }),
  flops: () => 0,
  bytes,
  rate: (problem: Problem, ns: number) => bytes(transposeShape(problem), problem.dtype) / ns,
} satisfies Op;

/** The shape of a problem known to be a transpose. Throws TypeError for another op's. */
export function transposeShape(problem: Problem): TransposeShape {
  if (problem.op !== 'transpose') throw new TypeError(`expected a transpose, got ${problem.op}`);
  return problem.shape;
}
