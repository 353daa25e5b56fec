import { describe, expect, test } from 'vitest';
import { product, rightOutput, verify } from '../matmul/product.test-helper';
import type { Problem } from '../problem/problem';
import type { Tensor } from '../problem/scalar';
import { inputTensors } from './inputs';
import { sumTolerance } from './precision';

/** C as a naive kernel leaves it: in order, rounded after every step. */
function sequentialF32(
  { shape: { m, n, k } }: Problem<'matmul'>,
  [a, b]: [Tensor, Tensor],
): Tensor {
  const out = new Float32Array(m * n);
  for (let row = 0; row < m; row++) {
    for (let p = 0; p < k; p++) {
      const factor = a[row * k + p]!;
      for (let col = 0; col < n; col++) {
        const at = row * n + col;
        out[at] = Math.fround(out[at]! + Math.fround(factor * b[p * n + col]!));
      }
    }
  }
  return out;
}

test('sums in f32 order are within their bounds', () => {
  // Rounded after every step, in the order a naive kernel adds.
  const problem = product(300, 'f32', 600);
  const inputs = inputTensors(problem, { seed: 9 }) as [Tensor, Tensor];
  const verdict = verify(problem, inputs, sequentialF32(problem, inputs));
  expect(verdict).toMatchObject({ method: 'whole', worst: null });
  expect(verdict.worstRatio).toBeGreaterThan(0.05);
});

/** A value rounded to half precision. */
function toHalf(value: number): number {
  if (value === 0) return 0;
  const step = 2 ** (Math.max(Math.floor(Math.log2(Math.abs(value))), -14) - 10);
  return Math.round(value / step) * step;
}

type Skip = (row: number, p: number) => boolean;

/** Summed in order of p, each sum rounded to f16; `skip` leaves steps out. */
function sequentialF16(
  { shape: { m, n, k } }: Problem<'matmul'>,
  [a, b]: readonly [Tensor, Tensor],
  skip: Skip = () => false,
): Float32Array {
  return Float32Array.from({ length: m * n }, (_, at) => {
    const row = Math.floor(at / n);
    let sum = 0;
    for (let p = 0; p < k; p++) {
      if (!skip(row, p)) sum = toHalf(sum + a[row * k + p]! * b[p * n + (at % n)]!);
    }
    return sum;
  });
}

describe('sums in f16', () => {
  const problem = product(96, 'f16acc16', 1024);
  const inputs = inputTensors(problem, { seed: 3 });
  const [a, b] = inputs as [Tensor, Tensor];
  const summed = (skip?: Skip) => sequentialF16(problem, [a, b], skip);

  test('pass with their own dtype, and not as sums in f32', () => {
    expect(verify(problem, inputs, summed()).worst).toBeNull();
    expect(verify({ ...problem, dtype: 'f16' }, inputs, summed()).worst).not.toBeNull();
  });

  test('fail where 16 steps are left out of one tile', () => {
    const dropped = summed((row, p) => row >= 32 && row < 48 && p >= 1008);
    expect(verify(problem, inputs, dropped).worst).not.toBeNull();
  });
});

test('a bound that grows is by the largest norms, and still finds a dropped step', () => {
  const problem = product(64);
  const [a, b] = inputTensors(problem, { seed: 3 }) as [Tensor, Tensor];
  // A row of A next to nothing: its own norm would bound it, the matrix' does not.
  a.fill(1e-6, 0, 64);
  const right = rightOutput(problem, [a, b]);
  const off = right.slice();
  off[5]! += 1e-5;
  expect(verify(problem, [a, b], off).worst).toMatchObject({ row: 0, col: 5 });
  expect(verify(problem, [a, b], off, { errorGrowth: 3 }).worst).toBeNull();
  const dropped = right.slice();
  dropped[700]! -= a[10 * 64 + 7]! * b[7 * 64 + 60]!;
  expect(verify(problem, [a, b], dropped, { errorGrowth: 3 }).worst).toMatchObject({ row: 10 });
});

test.each([1, 527, 4096 ** 2, 65_536 ** 2])(
  'a right output of %i elements is refused once in a million at most',
  (elements) => {
    const beyond = elements * Math.exp(-3.8 * sumTolerance(elements));
    expect(beyond).toBeLessThanOrEqual(1.01e-6);
  },
);
