import { randomUUID } from 'node:crypto';
import {
  afterDuel,
  deviceKey,
  type OpenDevice,
  type Outcome,
  POLICIES,
  runDuel,
  runVariant,
} from '@tilemark/core';
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
 * The sentinel on a real device: ten quiet visits raise no alarm, and a few of a kernel that does each
 * of its dispatches several times do. Visits of one process are told apart by an id, as those of
 * several processes are.
 */

const QUIET_VISITS = 10;
/** Two raise it where each says enough; beside other work one may not, and the next two do. */
const SLOW_VISITS = 6;
/** A visit takes ten seconds and more where tests run beside it. */
const LONGEST_MS = 1_200_000;
const TIMES_SLOWER = 4;
/** Of the series: on a device that the machine shares, alarms go by the duel alone. */
const POLICY = { ...POLICIES.default, maxWallNs: 1e9 };
const LONGEST_DUEL_NS = 6e9;

/** So small that a duel has hundreds of rounds: with a dozen, its interval says little beside other work. */
const problem: Problem = { op: 'matmul', shape: { m: 64, n: 64, k: 64 }, dtype: 'f32' };
const variant: Variant = { kernel: 'matmul/tiled', tunables: { TILE: 16 } };
/** Takes turns with it: what else the machine does slows both. */
const control: Variant = { kernel: 'matmul/naive', tunables: {} };

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
  prepare: async (prepares, ...args) => {
    const prepared = await executor.prepare(prepares, ...args);
    if (prepares.kernel !== variant.kernel) return prepared;
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

/** One visit: the variant measured as a worker measures it, with its turns, and handed in. */
async function visit(executor: Executor): Promise<Outcome> {
  const { capabilities, environment, identity } = device;
  const { address, definition, tunables } = resolveVariant(variant.kernel, variant.tunables);
  const made = await store.sweeps.create({
    name: 'sentinel',
    suite: 'sentinel@1',
    spec: { cases: [], profiles: ['default'], policy: 'default' },
    runs: [
      {
        variant,
        address,
        problem,
        profile: 'default',
        policy: 'default',
        deviceKey: deviceKey(identity),
        rival: { variant: control },
      },
    ],
    createdBy: 'tilemark',
  });
  const claimed = await store.runs.claim(made.runs[0]?.id ?? '', worker.workerId);
  if (!claimed) throw new Error('nothing to take');
  const { id, policy, profile, seed } = claimed;
  const surroundings = {
    deviceClass: identity.class,
    lastLevelCacheBytes: device.lastLevelCacheBytes,
    nowNs: () => performance.now() * 1e6,
    invocation: randomUUID(),
  };
  const alone = await runVariant(executor, variant, problem, POLICY, capabilities, {
    ...surroundings,
    seed,
  });
  if (alone.kind !== 'measured') return alone;
  const duel = await runDuel(
    executor,
    { a: variant, b: control },
    problem,
    capabilities,
    surroundings,
    { longestNs: LONGEST_DUEL_NS },
  );
  const outcome = afterDuel(alone, control, duel);
  await store.runs.record({
    runId: id,
    workerId: worker.workerId,
    run: { variant, problem, profile, policy },
    environment,
    wgsl: definition.runsOn === 'gpu' ? specialise(definition, tunables, 'f32') : null,
    outcome,
    endedAt: new Date().toISOString(),
  });
  return outcome;
}

it(
  'raises an alarm for a kernel made slower on purpose, and none in ten quiet visits',
  async () => {
    for (let i = 0; i < QUIET_VISITS; i++) {
      expect(await visit(device.executor)).toMatchObject({ kind: 'measured' });
    }
    expect((await store.alarms.list()).items).toEqual([]);

    const made = slower(device.executor);
    const raised = async () => (await store.alarms.list()).items;
    for (let i = 0; i < SLOW_VISITS && (await raised()).length === 0; i++) await visit(made);
    const items = await raised();
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
