import { describe, expect, test } from 'vitest';
import type { Problem } from '../problem/problem';
import type { Tensor } from '../problem/scalar';
import { inputTensors } from './inputs';

const problem = (dtype: Problem['dtype'], k = 1024): Problem => ({
  op: 'matmul',
  shape: { m: 64, n: 32, k },
  dtype,
});

/** Of a number other than 0. */
function lowestBit(value: number): number {
  let bit = 2 ** Math.floor(Math.log2(Math.abs(value)));
  while (value % bit !== 0) bit /= 2;
  return bit;
}

const extremes = (values: Iterable<number>) => {
  let [low, high, sum, count] = [Infinity, -Infinity, 0, 0];
  for (const value of values) {
    [low, high, sum, count] = [Math.min(low, value), Math.max(high, value), sum + value, count + 1];
  }
  return { low, high, mean: sum / count };
};

describe('inputs', () => {
  test('depend on seed and tensor, and on nothing else', () => {
    const [a, b] = inputTensors(problem('f32'), { seed: 1 });
    expect(inputTensors(problem('f32'), { seed: 1 })[0]).toEqual(a);
    expect(inputTensors(problem('f32'), { seed: 2 })[0]).not.toEqual(a);
    expect(b?.subarray(0, 100)).not.toEqual(a?.subarray(0, 100));
  });

  test.each(['f32', 'f16'] as const)('are spread over (-1, 1) around 0 in %s, never 0', (dtype) => {
    const [a] = inputTensors(problem(dtype), { seed: 5 });
    const { low, high, mean } = extremes(a ?? []);
    expect(low).toBeGreaterThan(-1);
    expect(low).toBeLessThan(-0.99);
    expect(high).toBeLessThan(1);
    expect(high).toBeGreaterThan(0.99);
    expect(Math.abs(mean)).toBeLessThan(0.01);
    expect(a).not.toContain(0);
  });

  test.each([
    ['i32', 1],
    ['i32', 1024],
    ['i32', 65_536],
    ['i8-nt', 65_536],
    ['i8-nt', 262_144],
  ] as const)('cannot overflow i32 in %s at K = %i', (dtype, k) => {
    const shape = { m: 8, n: 8, k };
    for (const tensor of inputTensors({ op: 'matmul', shape, dtype }, { seed: 5 })) {
      const { low, high } = extremes(tensor);
      expect(k * Math.max(-low, high) ** 2).toBeLessThan(2 ** 31);
      expect(high).toBeGreaterThan(0);
    }
  });

  test.each([
    ['f32', 2 ** 24],
    ['f16', 2 ** 11],
  ] as const)('are integers with exact sums in %s when asked', (dtype, limit) => {
    const [a] = inputTensors(problem(dtype), { seed: 5, mode: 'integers' });
    expect(a?.every(Number.isInteger)).toBe(true);
    expect(a).not.toContain(0);
    // Eight deviations of a sum of either sign.
    expect(8 * Math.sqrt(1024) * extremes(a ?? []).high ** 2).toBeLessThanOrEqual(limit);
  });

  test.each([1, 2, 300, 4096, 65_536, 300_000])(
    'have sums that are exact in f16 on the way, at K = %i',
    (k) => {
      const shape = { m: 16, n: 8, k };
      const [a, b] = inputTensors(
        { op: 'matmul', shape, dtype: 'f16' },
        { seed: 5, mode: 'integers' },
      );
      for (let at = 0; at < 16 * 8; at++) {
        let sum = 0;
        for (let p = 0; p < k; p++) {
          sum += a![Math.floor(at / 8) * k + p]! * b![p * 8 + (at % 8)]!;
          if (Math.abs(sum) > 2048) throw new Error(`${sum} at ${p}`);
        }
      }
    },
  );

  test.each([
    ['f32', 4096, 2 ** 24],
    ['f16', 4096, 2 ** 11],
    ['f16-q4', 4096, 2 ** 11],
    ['i8-nt', 4096, 2 ** 31 - 1],
  ] as const)('signed, have exact sums of one sign in %s', (dtype, k, limit) => {
    const shape = { m: 16, n: 8, k };
    const [a, b] = inputTensors({ op: 'matmul', shape, dtype }, { seed: 5, mode: 'signed' }) as [
      Tensor,
      Tensor,
    ];
    let most = 0;
    for (let at = 0; at < 16 * 8; at++) {
      const [row, col] = [Math.floor(at / 8), at % 8];
      const terms = Array.from({ length: k }, (_, p) => a[row * k + p]! * b[p * 8 + col]!);
      const sum = terms.reduce((all, term) => all + term, 0);
      expect(Math.abs(sum)).toBe(terms.reduce((all, term) => all + Math.abs(term), 0));
      expect(Math.abs(sum)).toBeLessThanOrEqual(limit);
      most = Math.max(most, Math.abs(sum));
    }
    // Far beyond what sums of i8 in f32 have.
    expect(most).toBeGreaterThan(dtype === 'i8-nt' ? 2 ** 25 : limit / 16);
    if (dtype !== 'i8-nt') expect(extremes(a).low).toBeLessThan(0);
  });

  test.each([
    ['f32', 24],
    ['f16', 11],
  ] as const)('scaled, have exact sums of two products in %s, and every bit', (dtype, bits) => {
    const { m, n, k } = { m: 40, n: 24, k: 77 };
    const shape = { m, n, k };
    const choice = { seed: 5, mode: 'scaled' } as const;
    const [a, b] = inputTensors({ op: 'matmul', shape, dtype }, choice) as [Tensor, Tensor];
    let significant = 0;
    for (let at = 0; at < m * n; at++) {
      const terms = Array.from({ length: k }, (_, p) => {
        return a[Math.floor(at / n) * k + p]! * b[p * n + (at % n)]!;
      }).filter((product) => product !== 0);
      expect(terms.length).toBeLessThanOrEqual(2);
      const sum = terms.reduce((all, product) => all + product, 0);
      const exponents = terms.map((product) => Math.log2(lowestBit(product)));
      const lowest = Math.min(...exponents);
      if (terms.length > 0) {
        expect(Math.abs(sum) / 2 ** lowest).toBeLessThan(2 ** bits);
        significant = Math.max(significant, Math.log2(Math.abs(terms[0]!) / 2 ** lowest));
      }
    }
    expect(significant).toBeGreaterThan(bits - 2);
    expect(a).toContain(0);
    expect(extremes(a).high).toBeGreaterThan(1000);
  });
});
