import { expect, test } from 'vitest';
import { useExecutor } from '../gpu/dawn.test-helper';
import type { Problem } from '../problem/problem';
import { rowsOfWeights } from './14-rows-of-weights';

const gpu = useExecutor();

test('more workgroups than one dimension takes are folded, the last row of them not full', async () => {
  const problem: Problem<'matmul'> = {
    op: 'matmul',
    shape: { m: 2, n: 70_001, k: 12 },
    dtype: 'f32-nt',
  };
  const tunables = { ROWS: 1, COLS: 1, LANES: 32, THREADS: 32, UNROLL: 1 };
  expect(rowsOfWeights.workgroups(tunables, problem)).toEqual([35_001, 2, 2]);
  const variant = { kernel: rowsOfWeights.id, tunables };
  const prepared = await gpu.executor.prepare(variant, problem, { seed: 7, bufferSets: 1 });
  try {
    await prepared.poison('nan');
    await prepared.sample({ dispatches: 1, rotate: false });
    expect(await prepared.verify([0])).toMatchObject({ worst: null, checked: 140_002 });
  } finally {
    prepared.destroy();
  }
});
