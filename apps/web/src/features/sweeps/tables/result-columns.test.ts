import type { RunView } from '@tilemark/core';
import { expect, it } from 'vitest';
import { tableRuns } from './result-columns';

const run = (device: string, profile: string): RunView =>
  ({
    address: 'matmul/tiled[TILE=16]',
    device: { key: device, name: device, class: 'gpu' },
    problem: { op: 'matmul', shape: { m: 64, n: 64, k: 64 }, dtype: 'f32' },
    profile,
    variant: { kernel: 'matmul/tiled', tunables: { TILE: 16 } },
    kind: 'pending',
    figures: null,
    reason: null,
  }) as unknown as RunView;

it('names of each run the device and the profile in which runs differ', () => {
  const where = (...runs: RunView[]) => tableRuns(runs, []).map((each) => each.where);
  expect(where(run('A', 'default'), run('A', 'default'))).toEqual([[], []]);
  expect(where(run('A', 'default'), run('A', 'fast'))).toEqual([['default'], ['fast']]);
  expect(where(run('A', 'fast'), run('B', 'default'))).toEqual([
    ['A', 'fast'],
    ['B', 'default'],
  ]);
});
