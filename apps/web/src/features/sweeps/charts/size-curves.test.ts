import { expect, test } from 'vitest';
import { measuredRun } from '../../../server/results.test-helper';
import { curvePoints, facetsOf } from './size-curves';

const at = (kernel: string, tunables: Record<string, string | number>, n: number, ns: number) =>
  measuredRun(ns, {
    variant: { kernel, tunables },
    problem: { op: 'matmul', shape: { m: n, n, k: n }, dtype: 'f32' },
  });
const tiled = (TILE: number, n: number, ns: number, A_LAYOUT = 'row') =>
  at('matmul/tiled', { TILE, A_LAYOUT }, n, ns);
const naive = (BLOCK: number, n: number, ns: number) => at('matmul/naive', { BLOCK }, n, ns);

test('a point is the fastest variant of a kernel with as many threads at a size', () => {
  const points = curvePoints([
    tiled(16, 128, 70),
    tiled(8, 64, 40),
    tiled(8, 64, 20, 'col'),
    tiled(16, 64, 10),
  ]);
  expect(points.map(({ edge, threads }) => [edge, threads])).toEqual([
    [64, 64],
    [64, 256],
    [128, 256],
  ]);
  expect(points[0]?.address).toContain('A_LAYOUT=col');
});

test('curves have facets where a kernel ran with several numbers of threads at several sizes', () => {
  const two = (TILE: number) => [tiled(TILE, 64, 10), tiled(TILE, 128, 70)];
  expect(facetsOf(curvePoints([...two(8), ...two(16), tiled(32, 64, 5)]))).toEqual([64, 256]);
  // Kernels of different numbers of threads share one picture.
  expect(facetsOf(curvePoints([...two(8), naive(16, 64, 9), naive(16, 128, 9)]))).toEqual([]);
});
