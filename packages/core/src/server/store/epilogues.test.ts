import type { Problem } from '@tilemark/kernels';
import { beforeAll, expect, test } from 'vitest';
import { leaderboardQuerySchema } from '../../api/api';
import {
  attach,
  kernelRun,
  measured,
  recordAll,
  recorded,
  square,
  sweepOf,
} from './fixtures.test-helper';
import { testStore } from './store.test-helper';

let deviceKey: string;
let workerId: string;

const { store } = await testStore();
beforeAll(async () => {
  ({ deviceKey, workerId } = await attach(store));
});

const board = () => store.leaderboard(leaderboardQuerySchema.parse({}));
const fused = (n: number): Problem => ({ ...square(n), epilogue: 'bias-relu' });

test('results of an epilogue are kept with it, and are on no board', async () => {
  const kernel = 'matmul/tiled';
  await recordAll(store, deviceKey, workerId, [
    [kernelRun(deviceKey, kernel), measured(1e6)],
    [kernelRun(deviceKey, kernel, fused(64)), measured(0.3e6)],
    [kernelRun(deviceKey, kernel, fused(1024)), measured(3e6)],
  ]);
  const { problems, rows } = await board();
  expect(problems.map(({ problem }) => problem)).toEqual([square(64)]);
  expect(rows).toMatchObject([{ address: kernel, medianNs: 1e6 }]);
});

test('an epilogue is kept with its run, which says why it is not ranked', async () => {
  const { id, runIds } = await sweepOf(store, [kernelRun(deviceKey, 'matmul/tiled', fused(96))]);
  await store.runs.record(recorded(runIds[0] ?? '', workerId, measured(1e6)));
  const [result] = (await store.sweeps.results(id)).items;
  expect(result).toMatchObject({
    problem: fused(96),
    outcome: {
      measurement: { unranked: 'an epilogue (bias, then relu): products alone are ranked' },
    },
  });
});
