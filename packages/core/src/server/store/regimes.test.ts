import type { Problem } from '@tilemark/kernels';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testDatabase } from '../../../services.test-helper';
import { leaderboardQuerySchema } from '../../view/api';
import {
  attach,
  kernelRun,
  measured,
  recordAll,
  recorded,
  square,
  sweepOf,
} from './fixtures.test-helper';
import type { Store } from './store';
import { openStore } from './store';

let store: Store;
let deviceKey: string;
let workerId: string;

beforeAll(async () => {
  store = openStore(await testDatabase());
  ({ deviceKey, workerId } = await attach(store));
});
afterAll(() => store.close());

const board = () => store.leaderboard(leaderboardQuerySchema.parse({}));
const inRegime = (n: number): Problem => ({ ...square(n), regime: 'large' });
const fused = (n: number): Problem => ({ ...square(n), epilogue: 'bias-relu' });

test('results of a regime or an epilogue are kept with it, and are on no board', async () => {
  const kernel = 'matmul/tiled';
  await recordAll(store, deviceKey, workerId, [
    [kernelRun(deviceKey, kernel), measured(1e6)],
    [kernelRun(deviceKey, kernel, inRegime(64)), measured(0.5e6)],
    [kernelRun(deviceKey, 'matmul/naive', inRegime(64)), measured(0.4e6)],
    [kernelRun(deviceKey, kernel, inRegime(512)), measured(2e6)],
    [kernelRun(deviceKey, kernel, fused(64)), measured(0.3e6)],
    [kernelRun(deviceKey, kernel, fused(1024)), measured(3e6)],
  ]);
  const { problems, rows } = await board();
  expect(problems.map(({ problem }) => problem)).toEqual([square(64)]);
  expect(rows).toMatchObject([{ address: kernel, medianNs: 1e6 }]);
});

test('they say why they are not ranked, and are held against no others', async () => {
  const run = kernelRun(deviceKey, 'matmul/split-k', inRegime(96));
  // As many as tell an outlier.
  const usual = kernelRun(deviceKey, 'matmul/split-k', square(96));
  const entries = Array.from({ length: 6 }, () => [usual, measured(1e6)] as const);
  for (const entry of entries) await recordAll(store, deviceKey, workerId, [entry]);
  const { id, runIds } = await sweepOf(store, [run]);
  await store.runs.record(recorded(runIds[0] ?? '', workerId, measured(4e6)));
  const [result] = (await store.sweeps.results(id)).items;
  expect(result).toMatchObject({
    problem: inRegime(96),
    outcome: { measurement: { unranked: 'on request: its inputs are large values' } },
  });
  const detail = await store.results.get(result?.resultId ?? '');
  expect(detail).toMatchObject({ problem: inRegime(96), outlier: null });
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

test.each([
  ['a regime', inRegime(128)],
  ['an epilogue', fused(128)],
])('a run of %s does not stand for one that a back-fill wants', async (_what, problem) => {
  const run = kernelRun(deviceKey, 'matmul/register-tile', problem);
  await recordAll(store, deviceKey, workerId, [[run, measured(1e6)]]);
  expect(await store.runs.newest([deviceKey], [run.address])).toEqual([]);
});
