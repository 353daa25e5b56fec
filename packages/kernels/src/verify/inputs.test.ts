import { describe, expect, test } from 'vitest';
import type { Problem } from '../problem';
import { inputTensors } from './inputs';

const problem = (dtype: Problem['dtype'], k = 1024): Problem => ({
  op: 'matmul',
  shape: { m: 64, n: 32, k },
  dtype,
});

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

  test.each([1, 1024, 65_536])('cannot overflow i32 at K = %i', (k) => {
    for (const tensor of inputTensors(problem('i32', k), { seed: 5 })) {
      const { low, high } = extremes(tensor);
      expect(k * Math.max(-low, high) ** 2).toBeLessThan(2 ** 31);
      expect(high).toBeGreaterThan(0);
    }
  });

  test.each([
    ['f32', 2 ** 24],
    ['f16', 2 ** 11],
  ] as const)('are integers with exact sums in %s when asked', (dtype, limit) => {
    const [a] = inputTensors(problem(dtype), { seed: 5, mode: 'exact' });
    expect(a?.every(Number.isInteger)).toBe(true);
    expect(1024 * extremes(a ?? []).high ** 2).toBeLessThanOrEqual(limit);
  });

  test('are refused where no sum could be exact', () => {
    expect(() => inputTensors(problem('f16', 4096), { seed: 1, mode: 'exact' })).toThrow(
      'in f16 can have at most 2048 products; this shape has 4096',
    );
  });
});
