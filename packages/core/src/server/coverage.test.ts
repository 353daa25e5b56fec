import { randomUUID } from 'node:crypto';
import { createClient, type PrismaClient } from '@tilemark/db';
import { resolveVariant, specialise } from '@tilemark/kernels';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { testDatabase } from '../../services.test-helper';
import type { Outcome } from '../measure/outcome';
import { coverageSchema } from '../view/api';
import { coverage, refreshStale } from './coverage';
import { openQueue } from './queue/queue';
import { attach, failed, measured, recorded } from './store/fixtures.test-helper';
import { openStore } from './store/store';
import type { SweepServices } from './submit';
import { backfill, submitSweep } from './submit';

let services: SweepServices;
let db: PrismaClient;
beforeAll(async () => {
  const url = await testDatabase();
  services = { store: openStore(url), queue: openQueue({ databaseUrl: url }) };
  db = createClient(url);
});
afterAll(async () => {
  await services.queue.close();
  await services.store.close();
  await db.$disconnect();
});

async function cell(deviceKey: string, suite: string) {
  const { devices } = coverageSchema.parse(await coverage(services.store));
  const of = devices.find(({ device }) => device.key === deviceKey);
  return of?.cells.find((each) => each.suite === suite);
}

/** Measures what the back-fill of a suite asks for, with the source of today. */
async function measureSuite(
  workerId: string,
  sweepId: string,
  outcomeOf: (policy: string) => Outcome = (policy) => measured(1e6, { policy }),
) {
  for (const run of (await services.store.sweeps.results(sweepId)).items) {
    const { definition, tunables } = resolveVariant(run.variant.kernel, run.variant.tunables);
    if (definition.runsOn === 'cpu') throw new Error('a host kernel on a software GPU');
    await services.store.runs.claim(run.runId, workerId);
    const wgsl = specialise(definition, tunables, run.problem.dtype);
    const of = recorded(run.runId, workerId, outcomeOf(run.policy), run.device.name);
    await services.store.runs.record({ ...of, wgsl });
  }
}

const layoutsOf = async (ids: readonly string[]) => {
  const sweeps = await Promise.all(ids.map((id) => services.store.sweeps.get(id)));
  return sweeps.find((sweep) => sweep?.suite?.startsWith('layouts@'))!;
};

test('a device runs from never over waiting to done, and each suite is back-filled once', async () => {
  const { deviceKey, workerId } = await attach(services.store, 'Soft', 'w', 'software');
  expect(await cell(deviceKey, 'layouts')).toMatchObject({ total: 5, never: 5 });
  const started = await backfill(services, deviceKey);
  expect(started).toHaveLength(3);
  expect(await backfill(services, deviceKey)).toEqual([]);
  expect(await cell(deviceKey, 'layouts')).toMatchObject({ waiting: 5, running: 0, never: 0 });
  const sweep = await layoutsOf(started);
  const [begun] = (await services.store.sweeps.results(sweep.id)).items;
  await services.store.runs.claim(begun?.runId ?? '', workerId);
  expect(await cell(deviceKey, 'layouts')).toMatchObject({ waiting: 4, running: 1 });
  await measureSuite(workerId, sweep.id);
  expect(await cell(deviceKey, 'layouts')).toMatchObject({ done: 5, running: 0, stale: 0 });
  // Behind what people ask for.
  const pending = [];
  for await (const run of services.store.runs.pending()) pending.push(run);
  expect(pending.every(({ background }) => background)).toBe(true);
  // Measured again, they are done meanwhile.
  const { spec, name } = sweep;
  const again = await submitSweep(services, { name, spec }, { name: 'Ada', tokenId: 'x' });
  expect(again.counts).toMatchObject({ pending: 5 });
  expect(await cell(deviceKey, 'layouts')).toMatchObject({ done: 5, running: 0 });
});

test('a changed source makes its cells stale, and a refresh queues just those', async () => {
  const { deviceKey, workerId } = await attach(services.store, 'Stale', 'w', 'software');
  const sweep = await layoutsOf(await backfill(services, deviceKey));
  await measureSuite(workerId, sweep.id);
  const hash = randomUUID();
  await db.kernelSource.create({ data: { hash, wgsl: '// as it was' } });
  const address = { startsWith: 'matmul/naive' };
  await db.result.updateMany({
    where: { run: { sweepId: sweep.id, address } },
    data: { sourceHash: hash },
  });
  expect(await cell(deviceKey, 'layouts')).toMatchObject({ done: 4, stale: 1 });

  const author = { name: 'Ada', tokenId: 'x' };
  const other = await refreshStale(services, { device: 'another', suite: null }, author);
  expect(other).toEqual({ sweeps: [], runs: 0 });
  const { sweeps, runs } = await refreshStale(services, { device: deviceKey, suite: null }, author);
  expect(runs).toBe(1);
  const [again] = (await services.store.sweeps.results(sweeps[0]!)).items;
  expect(again?.address).toContain('matmul/naive');
  expect(await services.queue.runIds(deviceKey)).toContain(again?.runId);
  expect(await cell(deviceKey, 'layouts')).toMatchObject({ done: 4, waiting: 1, stale: 0 });
  expect(await refreshStale(services, { device: null, suite: null }, author)).toEqual({
    sweeps: [],
    runs: 0,
  });

  await measureSuite(workerId, sweeps[0]!);
  expect(await cell(deviceKey, 'layouts')).toMatchObject({ done: 5 });

  // What no worker could run now waits for one, unless the device is asked for.
  await db.result.updateMany({
    where: { run: { deviceKey, address } },
    data: { sourceHash: hash },
  });
  await services.store.workers.detach(workerId);
  expect(await cell(deviceKey, 'layouts')).toMatchObject({ done: 4, stale: 1 });
  const { devices } = await coverage(services.store);
  expect(devices.find(({ device }) => device.key === deviceKey)?.workers).toBe(0);
  expect(await refreshStale(services, { device: null, suite: null }, author)).toEqual({
    sweeps: [],
    runs: 0,
  });
  const asked = await refreshStale(services, { device: deviceKey, suite: null }, author);
  expect(asked.runs).toBe(1);
});

test('what an import brings from another methodology is stale', async () => {
  const { deviceKey, workerId } = await attach(services.store, 'Imported', 'w', 'software');
  const sweep = await layoutsOf(await backfill(services, deviceKey));
  await measureSuite(workerId, sweep.id, () => {
    const outcome = measured(1e6);
    if (outcome.kind !== 'measured') return outcome;
    const measurement = { ...outcome.measurement, methodologyVersion: 1 };
    return { ...outcome, measurement };
  });
  expect(await cell(deviceKey, 'layouts')).toMatchObject({ done: 0, stale: 5 });
});

test('runs that failed or were incorrect are not done', async () => {
  const { deviceKey, workerId } = await attach(services.store, 'Broken', 'w', 'software');
  const sweep = await layoutsOf(await backfill(services, deviceKey));
  const worst = { row: 0, col: 0, got: 'NaN', want: 1, bound: 0 };
  const incorrect: Outcome = { kind: 'incorrect', when: 'before', worst };
  let ended = 0;
  await measureSuite(workerId, sweep.id, () => [failed, incorrect][ended++] ?? measured(1e6));
  expect(await cell(deviceKey, 'layouts')).toMatchObject({ done: 3, failed: 2, stale: 0 });
});

test('a run that nobody ranks does not count', async () => {
  const { deviceKey, workerId } = await attach(services.store, 'Smoke', 'w', 'software');
  const sweep = await layoutsOf(await backfill(services, deviceKey));
  await db.run.updateMany({ where: { sweepId: sweep.id }, data: { policy: 'smoke' } });
  await measureSuite(workerId, sweep.id);
  expect(await cell(deviceKey, 'layouts')).toMatchObject({ never: 5 });
});

test('each of many devices has its own cells, and few statements read them', async () => {
  const many = Array.from({ length: 45 }, (_, index) => `Many ${index}`);
  const keys: string[] = [];
  for (const name of many) {
    keys.push((await attach(services.store, name, 'w', 'software')).deviceKey);
  }
  const last = keys.toSorted().at(-1)!;
  await backfill(services, last);
  const statements = vi.spyOn(services.store.runs, 'newest');
  const { devices } = await coverage(services.store);
  expect(statements.mock.calls.length).toBeLessThan(devices.length / 10);
  expect(devices.map(({ device }) => device.key)).toEqual(
    (await services.store.devices.toPlan()).map(({ key }) => key),
  );
  for (const { device, cells } of devices.filter((each) => keys.includes(each.device.key))) {
    const layouts = cells.find(({ suite }) => suite === 'layouts');
    const state = device.key === last ? { waiting: 5, never: 0 } : { waiting: 0, never: 5 };
    expect(layouts).toMatchObject(state);
  }
});
