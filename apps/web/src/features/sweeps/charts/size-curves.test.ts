import { expect, test } from 'vitest';
import { measuredRun } from '../../../server/results.test-helper';
import { curvePoints } from './size-curves';

const at = (kernel: string, tunables: Record<string, string | number>, n: number, ns: number) =>
  measuredRun(ns, {
    variant: { kernel, tunables },
    problem: { op: 'matmul', shape: { m: n, n, k: n }, dtype: 'f32' },
  });
const tiled = (TILE: number, n: number, ns: number, A_LAYOUT = 'row') =>
  at('matmul/tiled', { TILE, A_LAYOUT }, n, ns);

test('a point is the fastest variant of a kernel at a size', () => {
  const points = curvePoints([
    tiled(16, 128, 70),
    tiled(8, 64, 40),
    tiled(8, 64, 20, 'col'),
    tiled(16, 64, 10),
  ]);
  expect(points.map(({ edge }) => edge)).toEqual([64, 128]);
  expect(points[0]?.address).toContain('TILE=16');
});
