import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { execute } from '../../../../services.test-helper';
import { changeSchema } from '../../../api/change';
import type { Outcome } from '../../../measure/outcome';
import {
  attach,
  capabilities,
  identity,
  measured,
  planned,
  recorded,
  spec,
  square,
} from '../fixtures.test-helper';
import { testStore } from '../store.test-helper';

const { store, url } = await testStore();

const wrong: Outcome = {
  kind: 'incorrect',
  when: 'before',
  worst: { row: 0, col: 0, got: 1, want: 0, bound: 0 },
};

const attached = async (name: string, machine: string) => ({
  ...(await attach(store, name, machine)),
  name,
});

/** A visit of the sentinel to a device, in a process of its own: one run. */
async function visit(
  device: Pick<Awaited<ReturnType<typeof attached>>, 'deviceKey' | 'workerId' | 'name'>,
  driver: string,
  outcome: Outcome,
  suite: string | null = 'sentinel@1',
): Promise<void> {
  const run = planned(device.deviceKey, { problem: square(64) });
  const made = await store.sweeps.create({
    name: 'visit',
    suite,
    spec,
    runs: [run],
    createdBy: 'tilemark',
  });
  const [{ id } = { id: '' }] = made.runs;
  const claimed = await store.runs.claim(id, device.workerId);
  const invocation = randomUUID();
  const ofProcess: Outcome =
    outcome.kind === 'measured'
      ? {
          ...outcome,
          measurement: {
            ...outcome.measurement,
            invocation,
            verification: {
              ...outcome.measurement.verification,
              ...(claimed?.seed !== undefined && { seed: claimed.seed }),
            },
          },
        }
      : { ...outcome, ...(outcome.kind === 'incorrect' && { invocation }) };
  const record = recorded(id, device.workerId, ofProcess, device.name);
  await execute(
    url,
    `UPDATE "Run" SET "claimedAt" = now() - interval '1 minute' WHERE "id" = '${id}'`,
  );
  await store.runs.record({ ...record, environment: { ...record.environment, driver } });
}

const listed = async (device?: string) =>
  (await store.changes({ device })).items.map((change) => changeSchema.parse(change));

it('lists what became slower, faster and wrong under a new driver, newest first', async () => {
  const device = await attached('Changing', 'a');
  for (const ns of [1e6, 1.001e6, 0.999e6]) await visit(device, '1.2', measured(ns));
  expect(await listed(device.deviceKey)).toEqual([]);
  for (const ns of [1.5e6, 1.501e6, 1.499e6]) await visit(device, '1.3', measured(ns));
  for (const ns of [1e6, 1.001e6, 0.999e6]) await visit(device, '1.4', measured(ns));
  await visit(device, '1.5', wrong);
  const changes = await listed(device.deviceKey);
  expect(changes).toMatchObject([
    { kind: 'INCORRECT', ratio: null, software: { driver: '1.5' } },
    { kind: 'FAST', software: { driver: '1.4' }, before: { software: { driver: '1.3' } } },
    {
      kind: 'SLOW',
      address: 'matmul/tiled[TILE=16]',
      device: { key: device.deviceKey },
      software: { driver: '1.3' },
      before: { software: { driver: '1.2' } },
      ratio: { value: expect.closeTo(1 / 1.5, 2) },
    },
  ]);
  const { items } = await store.changes({ cursor: changes[0]?.id });
  expect(items).toEqual(changes.slice(1));
  expect(await listed()).toEqual(changes);
});

it('lists nothing that a token without trust has measured', async () => {
  const { id } = await store.tokens.create({
    ...{ name: 't', role: 'worker', expiresAt: null, trusted: true },
  });
  const name = 'Distrusted';
  const attached = await store.workers.attach({
    ...{ name: 'w', host: 'h', version: '0', capabilities, tokenId: id },
    identity: identity(name),
  });
  const device = { ...attached, name };
  for (const ns of [1e6, 1.001e6, 0.999e6]) await visit(device, '1.2', measured(ns));
  await visit(device, '1.3', wrong);
  expect(await listed(device.deviceKey)).toMatchObject([{ kind: 'INCORRECT' }]);
  await store.tokens.trust(id, false);
  expect(await listed(device.deviceKey)).toEqual([]);
});

it('takes no other sweep, and no other machine, for the variant before', async () => {
  const first = await attached('Twins', 'first');
  const second = await attached('Twins', 'second');
  for (const ns of [1e6, 1.001e6, 0.999e6]) await visit(first, '1.2', measured(ns));
  for (const ns of [2e6, 2.001e6, 1.999e6]) await visit(second, '1.3', measured(ns));
  for (const ns of [2e6, 2.001e6, 1.999e6]) await visit(first, '1.3', measured(ns), null);
  await visit(first, '1.3', wrong, null);
  expect(await listed(first.deviceKey)).toEqual([]);
});
