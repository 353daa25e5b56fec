import { randomUUID } from 'node:crypto';
import { fileOf, isContributed, resolveVariant, specialise } from '@tilemark/kernels';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testRedisUrl } from '../../../../services.test-helper';
import { newSweepSchema, newTuningSchema, type Result } from '../../../api/api';
import { batterySweep } from '../../../contributed/battery';
import { admitKernel } from '../../../contributed/kernel';
import { kernelTemplate } from '../../../contributed/template';
import type { Outcome } from '../../../measure/outcome';
import { LimitReached } from '../../errors';
import { openQueue, type Queue } from '../../queue/queue';
import { submitSweep } from '../../submit';
import { submitTuning } from '../../tunings';
import {
  attach,
  capabilities,
  failed,
  identity,
  kernelRun,
  measured,
  recordAll,
  recorded,
  square,
} from '../fixtures.test-helper';
import type { Principal } from '../principal';
import { testStore } from '../store.test-helper';
import { authorOf, VERSIONS_PER_HOUR } from './add';

let queue: Queue;
const { store, url } = await testStore();
beforeAll(async () => {
  queue = openQueue({ redisUrl: testRedisUrl(), databaseUrl: url, prefix: `test-${randomUUID()}` });
});
afterAll(async () => {
  await queue.close();
});

const somebody = (name = randomUUID().slice(0, 8)): Principal => ({
  tokenId: randomUUID(),
  name,
  role: 'member',
});
const newKernel = () => ({ source: kernelTemplate(`k-${randomUUID().slice(0, 8)}`) });
const shape = { m: 64, n: 64, k: 64 };
const ADMIN = { tokenId: 'admin', role: 'admin' } as const;

/** A worker that takes contributed kernels. */
const taking = (device: string, contributed = true) =>
  store.workers.attach({
    name: device,
    host: 'lab',
    version: '0',
    identity: identity(device),
    capabilities,
    contributed,
  });

/** Each run that was submitted, by its id. */
const runs = new Map<string, Result>();

/** What is left of the runs of a kernel. */
async function left(kernel: string): Promise<(string | undefined)[]> {
  const sweeps = (await store.sweeps.list(undefined, {}, ADMIN)).items;
  const pages = await Promise.all(sweeps.map(({ id }) => store.sweeps.results(id)));
  const own = pages.flatMap(({ items }) => items).filter((run) => run.variant.kernel === kernel);
  return own.map(({ outcome }) => outcome?.kind);
}

/** Submits a kernel for a device; the ids of its runs. */
async function submitted(kernel: string, deviceKey: string, tunables = {}) {
  const { id } = await submitSweep(
    { store, queue },
    {
      name: 'theirs',
      spec: {
        cases: [{ kernel, tunables, shapes: [shape], dtypes: ['f32'] }],
        profiles: ['default', 'fast'],
        policy: 'default',
        devices: [deviceKey],
      },
    },
    { name: 'tester' },
  );
  const { items } = await store.sweeps.results(id);
  for (const run of items) runs.set(run.runId, run);
  return items.map(({ runId }) => runId);
}

/** Ends a run as a worker of the device does. */
async function end(runId: string, workerId: string, device: string, outcome: Outcome) {
  const { variant } = runs.get(runId)!;
  const { definition, tunables } = resolveVariant(variant.kernel, variant.tunables);
  const wgsl = definition.runsOn === 'gpu' ? specialise(definition, tunables, 'f32') : null;
  await store.runs.record({ ...recorded(runId, workerId, outcome, device), wgsl });
}

/** Ends the runs of its check, none of them wrong, on a device of its own. */
async function prove(id: string) {
  const { deviceKey, workerId } = await taking(`Prover of ${id}`);
  const contributed = await admitKernel(fileOf(id)!);
  const body = newSweepSchema.parse(batterySweep(contributed, [deviceKey]));
  const sweep = await submitSweep({ store, queue }, body, { name: 'tester' });
  const { items } = await store.sweeps.results(sweep.id);
  for (const run of items) {
    runs.set(run.runId, run);
    await store.runs.claim(run.runId, workerId);
    await end(run.runId, workerId, `Prover of ${id}`, { kind: 'skipped', why: 'a test' });
  }
}

const onBoards = async (kernel: string) => (await store.kernelResults({ kernel })).rows.length;

describe('a contributed kernel', () => {
  test('is tried on each device before anything is measured there', async () => {
    const { id: kernel } = await store.contributed.add(newKernel(), somebody());
    const workers = await Promise.all(['First', 'Second'].map((name) => taking(name)));
    const devices = workers.map(({ deviceKey }) => deviceKey);
    const shapes = [8, 16, 32, 64, 96, 128].map((n) => ({ m: n, n, k: n }));
    const beside = { tunables: {}, shapes, dtypes: ['f32' as const] };
    const cases = [
      { ...beside, kernel: 'matmul/naive' },
      { ...beside, kernel },
      { ...beside, kernel: 'matmul/tiled' },
    ];
    const spec = { cases, profiles: ['default' as const], policy: 'default' as const, devices };
    const sweep = await submitSweep({ store, queue }, { name: 'theirs', spec }, { name: 'tester' });
    const { items } = await store.sweeps.results(sweep.id);
    for (const device of devices) {
      const job = await queue.next(device, 'worker', AbortSignal.timeout(5_000));
      expect(items.find(({ runId }) => runId === job?.runId)?.variant.kernel).toBe(kernel);
    }
  });

  test('is kept once, unlisted until it is published', async () => {
    const ada = somebody("Ada's laptop");
    const file = newKernel();
    const kept = await store.contributed.add(file, ada);
    expect(kept).toMatchObject({ author: 'ada-s-laptop', op: 'matmul', publishedAt: null });
    expect(isContributed(kept.id)).toBe(true);
    expect(await store.contributed.add(file, ada)).toEqual(kept);

    // All at once, and the first again.
    const files = [file, ...Array.from({ length: VERSIONS_PER_HOUR + 2 }, newKernel)];
    const added = await Promise.allSettled(files.map((each) => store.contributed.add(each, ada)));
    expect(added[0]?.status).toBe('fulfilled');
    const refused = added.filter((each) => each.status === 'rejected');
    expect(refused.map(({ reason }) => reason instanceof LimitReached)).toEqual([true, true, true]);

    const listed = async (by: Principal | null) =>
      (await store.contributed.list(by?.tokenId ?? null)).map(({ id }) => id);
    expect(await listed(ada)).toContain(kept.id);
    expect(await listed(null)).not.toContain(kept.id);
    await expect(store.contributed.publish(kept.id)).rejects.toThrow(/have not passed yet/);
    await store.contributed.admit([kept.id]);
    await prove(kept.id);
    await store.contributed.publish(kept.id);
    expect(await listed(null)).toContain(kept.id);
  });

  test('has the name of its token, which no other token takes', async () => {
    await store.contributed.add(newKernel(), somebody('grace'));
    await expect(store.contributed.add(newKernel(), somebody('Grace'))).rejects.toThrow(
      /another token of the name grace/,
    );
    const twins = [somebody('Twin'), somebody('twin'), somebody('TWIN')];
    const added = await Promise.allSettled(
      twins.map((each) => store.contributed.add(newKernel(), each)),
    );
    expect(added.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(() => authorOf({ name: 'matmul' })).toThrow(/cannot be an author's/);
    expect(() => authorOf({ name: '…' })).toThrow(/cannot be an author's/);
  });

  test('runs on workers that take such kernels, in profile default', async () => {
    const { id } = await store.contributed.add(newKernel(), somebody());
    const plain = await attach(store, 'Plain');
    await expect(submitted(id, plain.deviceKey)).rejects.toThrow(/start one with --contributed/);
    const { deviceKey, workerId } = await taking('Taking');
    const shy = await taking('Taking', false);
    const runIds = await submitted(id, deviceKey);
    expect(runIds).toHaveLength(1);
    expect(shy.workerId).not.toBe(workerId);
    expect(await store.runs.claim(runIds[0]!, shy.workerId)).toBeNull();
    expect(await store.runs.whyNotClaimed(runIds[0]!, shy.workerId)).toBe('for others');
    expect(await store.runs.whyNotClaimed(runIds[0]!, workerId)).toBeNull();
    const claimed = await store.runs.claim(runIds[0]!, workerId);
    expect(claimed?.contributed).toMatchObject({ file: { source: expect.any(String) } });
    expect(claimed?.contributed?.refusal).toBeNull();
  });

  test('has sweeps that are listed for their author alone until it is published', async () => {
    const [ada, eve] = [somebody(), somebody()];
    const { id } = await store.contributed.add(newKernel(), ada);
    const { deviceKey, workerId } = await taking('Secret');
    const made: string[] = [];
    for (const kernel of [
      { kernel: id },
      { kernel: 'matmul/naive', rival: { kernel: id, tunables: {} } },
    ]) {
      const cases = [{ ...kernel, shapes: [shape], dtypes: ['f32'] }];
      const spec = { cases, profiles: ['default'], policy: 'default', devices: [deviceKey] };
      const body = newSweepSchema.parse({ name: id, spec });
      made.push((await submitSweep({ store, queue }, body, ada)).id);
    }
    const problem = { op: 'matmul' as const, shape, dtype: 'f32' as const };
    const search = newTuningSchema.parse({ device: deviceKey, kernel: id, problem });
    made.push((await submitTuning({ store, queue }, search, ada)).id);
    const listed = async (asker: Principal | null) => {
      const { items } = await store.sweeps.list(undefined, {}, asker);
      return made.filter((sweep) => items.some((each) => each.id === sweep)).length;
    };
    const counts = () => Promise.all([null, eve, ada, { ...eve, ...ADMIN }].map(listed));
    expect(await counts()).toEqual([0, 0, 3, 3]);
    const first = (await store.sweeps.results(made[0] ?? '')).items[0]!;
    await store.runs.claim(first.runId, workerId);
    const worker = async () =>
      (await store.workers.list()).find((each) => each.id === workerId)?.run?.address;
    expect(await worker()).toBeUndefined();
    const failedFor = async (asker: Principal | null) =>
      (await store.sweeps.list(undefined, { state: 'failed' }, asker)).items.some(
        (each) => each.id === made[0],
      );
    await store.runs.record({
      ...recorded(
        first.runId,
        workerId,
        { kind: 'failed', stage: 'measure', message: 'out of memory' },
        'Secret',
      ),
      wgsl: null,
    });
    expect([await failedFor(null), await failedFor(eve), await failedFor(ada)]).toEqual([
      ...[false, false, true],
    ]);
    await prove(id);
    await store.contributed.publish(id);
    expect(await counts()).toEqual([3, 3, 3, 3]);
    expect(await failedFor(null)).toBe(true);
  });

  test('is not published once a result is incorrect', async () => {
    const { id } = await store.contributed.add(newKernel(), somebody());
    const { deviceKey, workerId } = await taking('Wrong');
    const worst = { row: 0, col: 0, got: 'NaN', want: 1, bound: 0 };
    const ends: Outcome[] = [measured(1_000), { kind: 'incorrect', when: 'before', worst }];
    for (const outcome of ends) {
      const [runId = ''] = await submitted(id, deviceKey);
      await store.runs.claim(runId, workerId);
      await end(runId, workerId, 'Wrong', outcome);
    }
    await prove(id);
    await expect(store.contributed.publish(id)).rejects.toThrow(/it is wrong at 64 f32/);
  });

  test('is on the boards while it is published, and never the best of a problem', async () => {
    const { id } = await store.contributed.add(newKernel(), somebody());
    const { deviceKey, workerId } = await taking('Board');
    const timesOf = async () =>
      (await store.contributed.results([id])).runs.map((run) => run.headline);
    for (const ns of [1_010, 1_000]) {
      const [runId = ''] = await submitted(id, deviceKey);
      await store.runs.claim(runId, workerId);
      await end(runId, workerId, 'Board', measured(ns));
    }
    expect(await onBoards(id)).toBe(0);
    expect(await timesOf()).toMatchObject([{ medianNs: 1_000 }]);
    await prove(id);
    await store.contributed.publish(id);
    expect(await onBoards(id)).toBe(1);
    const asked = { op: 'matmul', dtype: 'f32', profile: 'default' } as const;
    expect((await store.devices.best(deviceKey)).length).toBe(0);
    expect(JSON.stringify(await store.leaderboard({ ...asked }))).not.toContain(id);
    // Beside one of ours, which gives the board its problem.
    await recordAll(store, deviceKey, workerId, [
      [kernelRun(deviceKey, 'matmul/naive', square(64)), measured(500)],
    ]);
    const { rows } = await store.leaderboard({ ...asked, shape: '64', contributed: 'apart' });
    const own = rows.filter(({ device }) => device.key === deviceKey);
    expect(own.map(({ author, rank }) => [author, rank])).toEqual([
      [undefined, 1],
      [id.split('/')[0], 1],
    ]);
    const [row] = own.filter(({ author }) => author);
    const { highNs, lowNs, medianNs, resultId } = row!;
    expect(await timesOf()).toMatchObject([{ medianNs, lowNs, highNs, resultId }]);
    const results = await store.contributed.results([id]);
    expect(results).toMatchObject({
      runs: [{ kind: 'measured', variant: { kernel: id } }],
      best: [{ address: 'matmul/naive', medianNs: 500 }],
      naive: [{ address: 'matmul/naive' }],
      waiting: [],
      quarantined: [],
    });

    await submitted(id, deviceKey, { BLOCK: [8] });
    expect(await left(id)).toContain(undefined);
    expect(await store.contributed.remove(id)).toBe(true);
    expect(await onBoards(id)).toBe(0);
    // And those of its check.
    const kinds = (await left(id)).filter((kind) => kind !== 'skipped');
    expect(kinds).toEqual(['measured', 'measured']);
    await expect(submitted(id, deviceKey)).rejects.toThrow(/was removed/);
    expect(await store.contributed.remove(id)).toBe(false);
  });

  test('with an epilogue has its results listed, which are on no board', async () => {
    const [op, fused] = ['"op": "matmul"', '"op": "matmul", "epilogue": "relu"'];
    const { id } = await store.contributed.add(
      { source: newKernel().source.replace(op, fused) },
      somebody(),
    );
    const { deviceKey, workerId } = await taking('Fuser');
    const [runId = ''] = await submitted(id, deviceKey);
    await store.runs.claim(runId, workerId);
    await end(runId, workerId, 'Fuser', measured(1_000));
    expect((await store.contributed.results([id])).runs).toMatchObject([
      { kind: 'measured', problem: { epilogue: 'relu' }, headline: { medianNs: 1_000 } },
    ]);
    await prove(id);
    await store.contributed.publish(id);
    expect(await onBoards(id)).toBe(0);
  });

  test.each([
    [5, true],
    [40, false],
  ])('measured by %d samples, has a range for an interval: %s', async (samples, isRange) => {
    const { id } = await store.contributed.add(newKernel(), somebody());
    const { deviceKey, workerId } = await taking(`Of ${samples}`);
    const [runId = ''] = await submitted(id, deviceKey);
    await store.runs.claim(runId, workerId);
    await end(runId, workerId, `Of ${samples}`, measured(1_000, { samples }));
    const results = await store.contributed.results([id]);
    expect(results.runs).toMatchObject([{ headline: { medianNs: 1_000, isRange } }]);
    const naive = kernelRun(deviceKey, 'matmul/naive', square(64));
    await recordAll(store, deviceKey, workerId, [[naive, measured(500, { samples })]]);
    const beside = await store.contributed.results([id]);
    expect([beside.best, beside.naive]).toMatchObject([[{ isRange }], [{ isRange }]]);
  });

  test('that has cost a device twice is quarantined there, and says so', async () => {
    const { id } = await store.contributed.add(newKernel(), somebody());
    const { deviceKey, workerId } = await taking('Fragile');
    for (const refusal of [null, null, expect.stringMatching(/quarantined: .* 2 times/)]) {
      const [runId = ''] = await submitted(id, deviceKey);
      const claimed = await store.runs.claim(runId, workerId);
      expect(claimed?.contributed?.refusal).toEqual(refusal);
      if (refusal === null) {
        const { waiting } = await store.contributed.results([id]);
        expect(waiting).toMatchObject([
          { device: { key: deviceKey }, runs: 1, ahead: 0, isRunning: true },
        ]);
      }
      await end(runId, workerId, 'Fragile', failed);
    }
    const { quarantined, waiting } = await store.contributed.results([id]);
    expect(quarantined).toMatchObject([{ key: deviceKey }]);
    expect(waiting).toEqual([]);
  });

  test('that has cost a device does not have that forgotten by a retry', async () => {
    const { id } = await store.contributed.add(newKernel(), somebody());
    const { deviceKey, workerId } = await taking('Retried');
    const [runId = ''] = await submitted(id, deviceKey);
    await store.runs.claim(runId, workerId);
    await end(runId, workerId, 'Retried', failed);
    const sweep = (await store.sweeps.list(undefined, {}, ADMIN)).items[0]?.id ?? '';
    const withFailed = await store.sweeps.list(undefined, { state: 'failed' }, ADMIN);
    expect(withFailed.items.map((each) => each.id)).not.toContain(sweep);
    await expect(store.sweeps.retryFailed(sweep)).rejects.toThrow(/cost a device/);
    expect(await left(id)).toEqual(['failed']);
  });

  test('has at most 64 variants in a sweep', async () => {
    const values = Array.from({ length: 33 }, (_, i) => i + 1);
    const source = kernelTemplate(`k-${randomUUID().slice(0, 8)}`)
      .replace(/"BLOCK": \{.*\} \}/, `"BLOCK": [${values}], "USED": [1, 2] }`)
      .replace('struct Shape', 'const used = USED;\nstruct Shape');
    const { id } = await store.contributed.add({ source }, somebody());
    const { deviceKey } = await taking('Many');
    const asked = submitted(id, deviceKey, { BLOCK: values, USED: [1, 2] });
    await expect(asked).rejects.toThrow(/66 variants of contributed kernels; the limit is 64/);
  });
});
