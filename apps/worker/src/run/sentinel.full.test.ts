import { randomUUID } from 'node:crypto';
import { deviceKey, type OpenDevice, type Outcome, POLICIES, runVariant } from '@tilemark/core';
import { openStore, type Store } from '@tilemark/core/server';
import {
  type Executor,
  type Problem,
  resolveVariant,
  specialise,
  type Variant,
} from '@tilemark/kernels';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { testDatabase } from '../../../../packages/core/services.test-helper';
import { listAdapters, openGpu } from '../gpu/dawn';

/**
 * The sentinel on a real device: ten quiet visits raise no alarm, and two of a kernel that does each
 * of its dispatches several times do. Visits of one process are told apart by an id, as those of
 * several processes are.
 */

const QUIET_VISITS = 10;
/** A run takes 15 s where it varies as much as on a shared machine. */
const LONGEST_MS = 1_200_000;
/** What runs on a machine's processors varies by a third beside other work. */
const TIMES_SLOWER = 4;

const problem: Problem = { op: 'matmul', shape: { m: 128, n: 128, k: 128 }, dtype: 'f32' };
const variants: readonly Variant[] = [
  { kernel: 'matmul/tiled', tunables: { TILE: 16 } },
  { kernel: 'matmul/naive', tunables: {} },
];
const slowed = variants[0];

let store: Store;
let device: OpenDevice;
let worker: { readonly workerId: string; readonly deviceKey: string };
beforeAll(async () => {
  store = openStore(await testDatabase());
  const [adapter] = await listAdapters();
  if (!adapter) throw new Error('no adapter');
  device = await openGpu(adapter, 'default');
  const { capabilities, identity } = device;
  worker = await store.workers.attach({
    name: 'sentinel',
    host: 'lab',
    version: '0',
    identity,
    capabilities,
  });
});
afterAll(() => store.close());

/** Each dispatch of a kernel made several: the device takes so many times as long for one. */
const slower = (executor: Executor): Executor => ({
  ...executor,
  timer: executor.timer,
  compile: (...args) => executor.compile(...args),
  probe: (...args) => executor.probe(...args),
  destroy: () => executor.destroy(),
  prepare: async (...args) => {
    const prepared = await executor.prepare(...args);
    return new Proxy(prepared, {
      get(target, name) {
        if (name !== 'sample') {
          const value: unknown = Reflect.get(target, name, target);
          return typeof value === 'function' ? value.bind(target) : value;
        }
        return async ({ dispatches, rotate }: { dispatches: number; rotate: boolean }) => {
          let total = { ns: 0, wallNs: 0 };
          for (let time = 0; time < TIMES_SLOWER; time++) {
            const { ns, wallNs } = await target.sample({ dispatches, rotate });
            total = { ns: total.ns + ns, wallNs: total.wallNs + wallNs };
          }
          return total;
        };
      },
    });
  },
});

/** One visit: each variant measured as a worker measures it, and handed in. */
async function visit(executorOf: (variant: Variant) => Executor): Promise<Outcome[]> {
  const { capabilities, environment, identity } = device;
  const key = deviceKey(identity);
  const runs = variants.map((variant) => ({
    variant,
    address: resolveVariant(variant.kernel, variant.tunables).address,
    problem,
    profile: 'default' as const,
    policy: 'default' as const,
    deviceKey: key,
  }));
  const made = await store.sweeps.create({
    name: 'sentinel',
    suite: 'sentinel@1',
    spec: { cases: [], profiles: ['default'], policy: 'default' },
    runs,
    createdBy: 'tilemark',
  });
  const invocation = randomUUID();
  const outcomes: Outcome[] = [];
  for (const { id } of made.runs) {
    const claimed = await store.runs.claim(id, worker.workerId);
    if (!claimed) throw new Error('nothing to take');
    const { policy, profile, seed, variant } = claimed;
    const outcome = await runVariant(
      executorOf(variant),
      variant,
      problem,
      POLICIES.default,
      capabilities,
      {
        deviceClass: identity.class,
        lastLevelCacheBytes: device.lastLevelCacheBytes,
        nowNs: () => performance.now() * 1e6,
        invocation,
        seed,
      },
    );
    const { definition, tunables } = resolveVariant(variant.kernel, variant.tunables);
    await store.runs.record({
      runId: id,
      workerId: worker.workerId,
      run: { variant, problem, profile, policy },
      environment,
      wgsl: definition.runsOn === 'gpu' ? specialise(definition, tunables, 'f32', false) : null,
      outcome,
      endedAt: new Date().toISOString(),
    });
    outcomes.push(outcome);
  }
  return outcomes;
}

it(
  'raises an alarm for a kernel made slower on purpose, and none in ten quiet visits',
  async () => {
    for (let i = 0; i < QUIET_VISITS; i++) {
      const outcomes = await visit(() => device.executor);
      expect(outcomes.map(({ kind }) => kind)).toEqual(['measured', 'measured']);
    }
    expect((await store.alarms.list()).items).toEqual([]);

    const made = slower(device.executor);
    const executorOf = ({ kernel }: Variant) =>
      kernel === slowed?.kernel ? made : device.executor;
    for (let i = 0; i < 2; i++) await visit(executorOf);
    const { items } = await store.alarms.list();
    expect(items).toMatchObject([
      {
        kind: 'SLOW',
        address: expect.stringMatching(/^matmul\/tiled\[TILE=16/),
        device: { key: worker.deviceKey },
        softwareBefore: items[0]?.software,
      },
    ]);
  },
  LONGEST_MS,
);
