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

test('results of a regime are kept with it, and are on no board', async () => {
  const kernel = 'matmul/tiled';
  await recordAll(store, deviceKey, workerId, [
    [kernelRun(deviceKey, kernel), measured(1e6)],
    [kernelRun(deviceKey, kernel, inRegime(64)), measured(0.5e6)],
    [kernelRun(deviceKey, 'matmul/naive', inRegime(64)), measured(0.4e6)],
    [kernelRun(deviceKey, kernel, inRegime(512)), measured(2e6)],
  ]);
  const { problems, rows } = await board();
  expect(problems.map(({ problem }) => problem)).toEqual([square(64)]);
  expect(rows).toMatchObject([{ address: kernel, medianNs: 1e6 }]);
});

test('they say why they are not ranked, and their history is their own', async () => {
  const run = kernelRun(deviceKey, 'matmul/split-k', inRegime(96));
  await recordAll(store, deviceKey, workerId, [
    [kernelRun(deviceKey, 'matmul/split-k', square(96)), measured(1e6)],
    [run, measured(3e6)],
  ]);
  const { id, runIds } = await sweepOf(store, [run]);
  await store.runs.record(recorded(runIds[0] ?? '', workerId, measured(4e6)));
  const [result] = (await store.sweeps.results(id)).items;
  expect(result).toMatchObject({
    problem: inRegime(96),
    outcome: { measurement: { unranked: 'on request: its inputs are large values' } },
  });
  const detail = await store.results.get(result?.resultId ?? '');
  const history = detail && (await store.results.over(detail));
  expect(history?.map(({ medianNs }) => medianNs)).toEqual([3e6, 4e6]);
});

test('a run of a regime does not stand for one that a back-fill wants', async () => {
  const run = kernelRun(deviceKey, 'matmul/register-tile', inRegime(128));
  await recordAll(store, deviceKey, workerId, [[run, measured(1e6)]]);
  expect(await store.runs.newest([deviceKey], [run.address])).toEqual([]);
});
