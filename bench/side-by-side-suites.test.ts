import type { Problem } from '@tilemark/kernels';
import { expect, it } from 'vitest';
import { isBoundByMemory, type Row, summary } from './side-by-side-suites';

const product = (m: number, n: number, k: number): Problem => ({
  op: 'matmul',
  shape: { m, n, k },
  dtype: 'f32',
});

it.each([
  [product(1, 4096, 4096), true],
  [product(4096, 4096, 8), true],
  [product(16, 4096, 4096), true],
  [product(17, 4096, 4096), false],
  [product(64, 64, 64), false],
])('tells whether %j is bound by memory', (problem, isBound) => {
  expect(isBoundByMemory(problem)).toBe(isBound);
});

it('gives the geometric mean with what the intervals leave it, the worst, and a verdict', () => {
  const row = (ratio: number, problem: string): Row => ({
    ...{ goal: 'f32 / cuBLAS', problem, variant: 'matmul/naive', predictedNs: 1, ratio },
    ours: { medianNs: 1, intervalNs: [1, 1] },
    other: { medianNs: ratio, intervalNs: [ratio, ratio] },
    ratioInterval: [0.5 * ratio, 2 * ratio],
  });
  const line = (rows: readonly Row[]) => summary(rows).split('\n').at(-1);
  expect(line([row(2, 'a'), row(0.5, 'b')])).toBe(
    '| f32 / cuBLAS | 2 | 1.000 [0.500, 2.000] | 0.500 [0.250, 1.000] at b | 0.95, 0.7 | not met |',
  );
  expect(line([row(2, 'a'), row(0.7, 'b')])).toMatch(/met \|$/);
  expect(line([row(0.9, 'a')])).toMatch(/not met \|$/);
  expect(summary([]).split('\n')).toHaveLength(2);
});
