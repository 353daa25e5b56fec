import { publishedOfSuite } from '@tilemark/core';
import { variantAddress } from '@tilemark/kernels';
import { expect, test } from 'vitest';
import { measuredRun } from '../../../server/results.test-helper';
import { axesOf, curvePoints, linesOf, timedOf } from './curve-points';

const LAYOUT = { A_LAYOUT: 'row', B_LAYOUT: 'row', MAPPING: 'col-x' };
const at = (
  kernel: string,
  tunables: Record<string, string | number>,
  n: number,
  ns: number,
  dtype: 'f32' | 'i32' = 'i32',
) => measuredRun(ns, { variant: { kernel, tunables }, problem: square(n, dtype) });
const square = (n: number, dtype: 'f32' | 'i32') =>
  ({ op: 'matmul', shape: { m: n, n, k: n }, dtype }) as const;
const naive = (BLOCK: number, n: number, ns: number) =>
  at('matmul/naive', { BLOCK, MAPPING: 'col-x' }, n, ns);
const tiled = (TILE: number, n: number, ns: number) =>
  at('matmul/tiled', { TILE, ...LAYOUT }, n, ns);

const RUNS = [naive(8, 256, 80), naive(16, 256, 40), tiled(8, 256, 20), tiled(16, 256, 10)];
const LARGER = [naive(8, 512, 800), naive(16, 512, 400), tiled(16, 512, 50)];
const threads = publishedOfSuite('threads-per-block');
const of = (points: ReturnType<typeof curvePoints>) => points.map(({ line, x, y }) => [line, x, y]);

test('a line per size is one with and one without workgroup memory, over block sides', () => {
  const all = timedOf([...RUNS, ...LARGER], null);
  const points = curvePoints(all, { axis: 'block', line: 'size', shown: 'time' }, '256');
  expect(of(points)).toEqual([
    ['256, without workgroup memory', 8, 80],
    ['256, with workgroup memory', 8, 20],
    ['512, without workgroup memory', 8, 800],
    ['256, without workgroup memory', 16, 40],
    ['256, with workgroup memory', 16, 10],
    ['512, without workgroup memory', 16, 400],
    ['512, with workgroup memory', 16, 50],
  ]);
  const [first, second] = points;
  expect(first?.hue).toBe(second?.hue);
  expect(first?.mark).not.toBe(second?.mark);
});

test('a line per kernel is of the chosen shape over block sides, the fastest variant over sizes', () => {
  const all = timedOf([...RUNS, ...LARGER], null);
  const over = (axis: 'block' | 'size') =>
    of(curvePoints(all, { axis, line: 'kernel', shown: 'time' }, '512'));
  expect(over('block')).toEqual([
    ['naive', 8, 800],
    ['naive', 16, 400],
    ['tiled', 16, 50],
  ]);
  expect(over('size')).toEqual([
    ['naive', 256, 40],
    ['tiled', 256, 10],
    ['naive', 512, 400],
    ['tiled', 512, 50],
  ]);
});

test('speed-ups are over the fastest naive of the shape, of a report over its own', () => {
  const all = timedOf([...RUNS, ...LARGER], threads);
  const points = curvePoints(all, { axis: 'size', line: 'memory', shown: 'speedup' }, '256');
  const y = (isPublished: boolean) =>
    points
      .filter((each) => each.isPublished === isPublished && each.memory.startsWith('with '))
      .map((each) => each.y);
  expect(y(false)).toEqual([4, 8]);
  expect(y(true)[0]).toBeCloseTo(0.023872 / 0.01696);
  expect(y(true)).toHaveLength(2);
});

test('a report stands beside runs of its dtype and hardware, under its names', () => {
  const all = timedOf(RUNS, threads);
  const published = all.filter(({ isPublished }) => isPublished);
  expect(new Set(published.map(({ shape }) => shape))).toEqual(new Set(['256']));
  expect(new Set(all.map(({ kernel }) => kernel))).toEqual(
    new Set(['without shared memory', 'with shared memory']),
  );
  const isAlone = (runs: typeof RUNS) => timedOf(runs, threads).length === runs.length;
  expect(isAlone([at('matmul/naive', { BLOCK: 8 }, 256, 1, 'f32')])).toBe(true);
  const host = measuredRun(1, {
    device: { key: 'c', name: 'C', class: 'cpu' },
    problem: square(256, 'i32'),
  });
  expect(isAlone([host])).toBe(true);
});

test('a report of one shape is shown on that beside runs of another', () => {
  const blocks = publishedOfSuite('block-size');
  const cc = blocks?.results.findLast(({ label }) => label === 'CC');
  const run = at('matmul/tiled', cc!.variant.tunables, 128, 1e6, 'f32');
  expect(run.address).toBe(variantAddress(cc!.variant));
  const all = timedOf([run], blocks);
  const points = curvePoints(all, { axis: 'block', line: 'kernel', shown: 'time' }, '128');
  expect(points.filter(({ line }) => line === 'CC').map(({ shape, x }) => [shape, x])).toEqual([
    ['8192', 4],
    ['8192', 8],
    ['8192', 16],
    ['128', 32],
    ['8192', 32],
  ]);
});

test('offers axes along which runs differ, the one with more values first', () => {
  expect(axesOf(timedOf(RUNS, threads))).toEqual(['block']);
  expect(axesOf(timedOf([...RUNS, ...LARGER], null))).toEqual(['size', 'block']);
  expect(axesOf(timedOf([...RUNS, ...LARGER, naive(32, 256, 30)], null))).toEqual([
    'block',
    'size',
  ]);
  expect(axesOf(timedOf([naive(8, 256, 1)], threads))).toEqual([]);
  const all = timedOf([...RUNS, ...LARGER], null);
  expect(linesOf(all, 'block')).toEqual(['size', 'kernel', 'memory']);
  expect(linesOf(all, 'size')).toEqual(['kernel', 'memory']);
});
