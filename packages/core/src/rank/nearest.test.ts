import type { Problem } from '@tilemark/kernels';
import { expect, it } from 'vitest';
import { nearestProblem, shapeDistance } from './nearest';

const matmul = (m: number, n = m, k = m): Problem => ({
  op: 'matmul',
  shape: { m, n, k },
  dtype: 'f32',
});

it('counts doublings, alike in both directions and in every dimension', () => {
  expect(shapeDistance(matmul(64), matmul(64))).toBe(0);
  expect(shapeDistance(matmul(64), matmul(128, 64, 64))).toBe(1);
  expect(shapeDistance(matmul(64), matmul(64, 64, 32))).toBe(1);
  expect(shapeDistance(matmul(64), matmul(512))).toBeCloseTo(3 * Math.sqrt(3), 12);
  expect(shapeDistance(matmul(1), matmul(3, 5, 7))).toBe(shapeDistance(matmul(3, 5, 7), matmul(1)));
});

it('counts the products of a batch as a dimension', () => {
  const batch = (b: number): Problem =>
    ({ ...matmul(64), shape: { b, m: 64, n: 64, k: 64 } }) as Problem;
  expect(shapeDistance(batch(8), batch(16))).toBe(1);
  expect(shapeDistance(matmul(64), batch(8))).toBe(3);
  expect(nearestProblem(batch(16), [matmul(64), batch(8), batch(64)])?.problem).toEqual(batch(8));
});

it('finds the nearest by ratio, not by difference', () => {
  const near = nearestProblem(matmul(100), [matmul(10), matmul(800), matmul(256, 256, 64)]);
  expect(near?.problem).toEqual(matmul(256, 256, 64));
  expect(nearestProblem(matmul(100), [matmul(10), matmul(190)])?.problem).toEqual(matmul(190));
  expect(nearestProblem(matmul(100), [])).toBeNull();
});
