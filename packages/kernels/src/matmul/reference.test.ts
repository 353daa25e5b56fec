import { expect, test } from 'vitest';
import type { Problem } from '../problem';
import type { Tensor } from '../scalar';
import { inputTensors } from '../verify/inputs';
import { referenceMatmul } from './product.test-helper';
import { referenceRows, timesVectors } from './reference';

/** The definition, term by term. */
function element(
  { shape: { n, k } }: Problem<'matmul'>,
  [a, b]: [Tensor, Tensor],
  at: number,
): number {
  let sum = 0;
  for (let p = 0; p < k; p++) sum += a[Math.floor(at / n) * k + p]! * b[p * n + (at % n)]!;
  return sum;
}

// Four steps and three rows at a time: lengths that leave none, one, two and three over.
test.each([1, 2, 3, 4, 7, 8, 9])('is the sum of %d products, by rows, columns and whole', (k) => {
  const problem: Problem<'matmul'> = { op: 'matmul', shape: { m: 7, n: 6, k }, dtype: 'f32' };
  const [a, b] = inputTensors(problem, { seed: 5 }) as [Tensor, Tensor];
  const whole = referenceMatmul(problem.shape, a, b);
  expect([...whole]).toEqual(Array.from(whole, (_, at) => element(problem, [a, b], at)));
  for (const count of [1, 2, 3, 4, 5, 6]) {
    const some = [6, 0, 3, 5, 1, 2].slice(0, count);
    const rows = referenceRows(problem.shape, a, b, some);
    expect(rows.map((row) => [...row])).toEqual(
      some.map((row) => [...whole.subarray(row * 6, row * 6 + 6)]),
    );
    const cols = some.map((col) => col % 6);
    const ofB = cols.map((col) => Float64Array.from({ length: k }, (_, p) => b[p * 6 + col]!));
    const columns = timesVectors(a, 7, k, ofB);
    for (const [index, column] of columns.entries()) {
      for (const [row, value] of column.entries()) {
        expect(value).toBeCloseTo(whole[row * 6 + (cols[index] ?? 0)]!, 14);
      }
    }
  }
});
