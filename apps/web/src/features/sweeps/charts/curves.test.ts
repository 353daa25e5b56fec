import { describe, expect, it } from 'vitest';
import { measuredRun } from '../../../server/results.test-helper';
import { curvesOf, isBestOf, omittedText, speedupCurves } from './curves';

const at = (kernel: string, tunables: Record<string, string | number>, ns: number, n = 512) =>
  measuredRun(ns, {
    variant: { kernel, tunables },
    problem: { op: 'matmul', shape: { m: n, n, k: n }, dtype: 'f32' },
  });
const naive = (BLOCK: number, ns: number, n?: number) => at('matmul/naive', { BLOCK }, ns, n);
const tiled = (TILE: number, A_LAYOUT: string, ns: number, n?: number) =>
  at('matmul/tiled', { TILE, A_LAYOUT }, ns, n);

describe('curvesOf', () => {
  it('draws one line per variant over the threads per workgroup', () => {
    const { isByShape, points } = curvesOf([
      tiled(16, 'row', 30),
      tiled(8, 'row', 40),
      tiled(8, 'col', 20),
      tiled(16, 'col', 10),
    ]);
    expect(isByShape).toBe(false);
    expect(points.map(({ line, threads }) => [line, threads])).toEqual([
      ['tiled · A_LAYOUT=row', 64],
      ['tiled · A_LAYOUT=col', 64],
      ['tiled · A_LAYOUT=row', 256],
      ['tiled · A_LAYOUT=col', 256],
    ]);
  });

  it('draws a line per kernel and shape, by the fastest variant, where there are several shapes', () => {
    const { isByShape, points } = curvesOf([
      tiled(8, 'row', 40, 64),
      tiled(8, 'col', 20, 64),
      tiled(16, 'row', 10, 64),
      tiled(8, 'row', 90, 128),
      tiled(16, 'row', 70, 128),
    ]);
    expect(isByShape).toBe(true);
    expect(points.map(({ line, run }) => [line, run.figures.medianNs])).toEqual([
      ['matmul/tiled 64', 20],
      ['matmul/tiled 64', 10],
      ['matmul/tiled 128', 90],
      ['matmul/tiled 128', 70],
    ]);
  });

  it('counts the variants that a point is the best of', () => {
    const wpt = (TILE: number, WPT: number, ns: number) =>
      at('matmul/tiled-wpt', { TILE, WPT }, ns);
    const { points } = curvesOf([wpt(16, 2, 30), wpt(32, 8, 20), wpt(16, 4, 50)]);
    expect(
      points.map(({ run, threads, variants }) => [threads, run.figures.medianNs, variants]),
    ).toEqual([
      [64, 50, 1],
      [128, 20, 2],
    ]);
    expect(isBestOf(points)).toBe(true);
    expect(isBestOf(points.slice(0, 1))).toBe(false);
  });

  it('leaves out what shows no course, by name', () => {
    expect(curvesOf([tiled(16, 'row', 30), naive(8, 20)]).points).toEqual([]);
    const { kernels, omitted } = curvesOf([
      tiled(8, 'row', 40),
      tiled(16, 'row', 30),
      naive(8, 20),
      at('matmul/warp-tile', {}, 10),
    ]);
    expect(kernels).toEqual(['matmul/tiled']);
    expect(omitted).toEqual(['matmul/naive', 'matmul/warp-tile']);
    expect(omittedText({ omitted }, 'rows would be single cells')).toBe(
      '. Kernels whose rows would be single cells are left out: naive, warp-tile',
    );
    expect(omittedText({ omitted: [] }, 'rows would be single cells')).toBe('');
  });
});

it('takes speed-ups over naive with as many threads on the same shape', () => {
  const curves = curvesOf([
    naive(8, 100),
    naive(16, 90),
    tiled(8, 'row', 50),
    tiled(16, 'row', 30),
    tiled(32, 'row', 10),
  ]);
  const speedups = speedupCurves(curves);
  expect(speedups.map(({ threads, value }) => [threads, value])).toEqual([
    [64, 2],
    [256, 3],
  ]);
  expect(speedups[0]!.low).toBeCloseTo((100 * 0.99) / (50 * 1.01));
  expect(speedups[0]!.high).toBeCloseTo((100 * 1.01) / (50 * 0.99));
});

it('gives a speed-up with a side of one sample no interval', () => {
  const fast = tiled(8, 'row', 50);
  const single = { ...fast, figures: { ...fast.figures, samples: 1 } };
  const [speedup] = speedupCurves(
    curvesOf([naive(8, 100), naive(16, 90), single, tiled(16, 'row', 30)]),
  );
  expect([speedup!.low, speedup!.value, speedup!.high]).toEqual([2, 2, 2]);
});

it('colours a speed-up as the curve that it is taken from, naive or not beside it', () => {
  const curves = curvesOf([
    naive(8, 100),
    naive(16, 90),
    tiled(8, 'row', 50),
    tiled(16, 'row', 30),
    tiled(8, 'col', 40),
    tiled(16, 'col', 20),
  ]);
  const colors = new Set(curves.points.map(({ color }) => color));
  expect([...colors].sort()).toEqual(['naive', 'tiled · A_LAYOUT=col', 'tiled · A_LAYOUT=row']);
  const ofSpeedups = new Set(speedupCurves(curves).map(({ color }) => color));
  expect([...ofSpeedups].sort()).toEqual(['tiled · A_LAYOUT=col', 'tiled · A_LAYOUT=row']);
});
