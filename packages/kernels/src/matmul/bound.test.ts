import { describe, expect, test } from 'vitest';
import { roundingOf } from '../gpu/judge/proving';
import type { Problem } from '../problem';
import type { Tensor } from '../scalar';
import { MAX_DIMENSION } from '../shape';
import { VECTORS } from '../verify/freivalds';
import { inputTensors } from '../verify/inputs';
import { sumTolerance } from '../verify/precision';
import { deviationsOf } from './bound';
import { product, rightOutput, verify } from './product.test-helper';

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

test('Freivalds keeps sums in f32 order within its bound', () => {
  // Rounded after every step, in the order a naive kernel adds.
  const problem = product(700, 'f32', 600);
  const inputs = inputTensors(problem, { seed: 9 }) as [Tensor, Tensor];
  const verdict = verify(problem, inputs, sequentialF32(problem, inputs));
  expect(verdict).toMatchObject({ method: 'freivalds', worst: null });
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

describe('a right output is refused once in a million at most', () => {
  test.each([1, 700, 65_536, MAX_DIMENSION])(
    'by residuals of %i rows, with secret signs',
    (rows) => {
      expect(rows * VECTORS * 2 * Math.exp(-(deviationsOf(rows) ** 2) / 2)).toBeCloseTo(1e-6, 12);
    },
  );

  test.each([1, 527, 4096 ** 2, 65_536 ** 2])('by %i elements', (elements) => {
    const beyond = elements * Math.exp(-3.8 * sumTolerance(elements));
    expect(beyond).toBeLessThanOrEqual(1.01e-6);
  });

  // Compared whole where a side is shorter, by elements: a sum of K products is off by K u |a||b| at most.
  const roundings = { 'in order': 2 ** -24, 'by blocks of 16': null };
  describe.each(Object.entries(roundings))('with sums %s', (_how, inOrder) => {
    test.each([
      [13, 13],
      [13, 64],
      [16, 64],
      [31, 13],
      [127, 13],
      [128, 13],
      [512, 13],
    ])('of %i products, in %i columns', (k, n) => {
      const m = 1500;
      const [a, b] = inputTensors(
        { op: 'matmul', shape: { m, n, k }, dtype: 'f32' },
        { seed: k + n },
      ) as [Tensor, Tensor];
      const { sumRoundoff } = inOrder === null ? roundingOf(k) : { sumRoundoff: inOrder };
      const bNorm = Math.hypot(...b);
      let refused = 0;
      for (let row = 0; row < m; row++) {
        let squares = 0;
        for (let col = 0; col < n; col++) {
          let [sum, part, exact] = [0, 0, 0];
          for (let p = 0; p < k; p++) {
            const product = a[row * k + p]! * b[p * n + col]!;
            exact += product;
            part = Math.fround(part + Math.fround(product));
            if (inOrder === null && (p % 16 === 15 || p === k - 1)) {
              sum = Math.fround(sum + part);
              part = 0;
            }
          }
          squares += (sum + part - exact) ** 2;
        }
        const aNorm = Math.hypot(...a.subarray(row * k, (row + 1) * k));
        const deviation = Math.sqrt(squares) / (sumRoundoff * aNorm * bNorm);
        refused += 2 * VECTORS * Math.exp(-((deviationsOf(65_536) / deviation) ** 2) / 2);
      }
      // Of 65,536 rows with errors as large as these.
      expect((refused * 65_536) / m).toBeLessThan(1e-6);
    });
  });
});
