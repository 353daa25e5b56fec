import { expect, it } from 'vitest';
import { expand } from '../expand';
import { standingSuites } from './standing';

const runs = (deviceClass: 'gpu' | 'software' | 'cpu') =>
  standingSuites(deviceClass).flatMap(({ spec }) =>
    expand(spec, [{ key: 'd', class: deviceClass }]),
  );

it('gives every class something to run, the starter suite first', () => {
  for (const deviceClass of ['gpu', 'software', 'cpu'] as const) {
    expect(standingSuites(deviceClass)[0]?.suite.id).toBe('starter');
    expect(runs(deviceClass).length).toBeGreaterThan(0);
  }
  expect(standingSuites('browser')).toEqual([]);
});

it('is bounded where the device is slow: few runs, and none of more than 1 GFLOP', () => {
  for (const deviceClass of ['software', 'cpu'] as const) {
    const planned = runs(deviceClass);
    expect(planned.length).toBeLessThanOrEqual(20);
    for (const { problem } of planned) {
      if (problem.op !== 'matmul') continue;
      const { m, n, k } = problem.shape;
      expect(2 * m * n * k).toBeLessThanOrEqual(1e9);
    }
  }
});
