import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { migrate } from '@tilemark/db';
import {
  InputError,
  type Problem,
  parseProblem,
  resolveVariant,
  specialise,
} from '@tilemark/kernels';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { testDatabase, testRedisUrl } from '../../services.test-helper';
import { kernelTemplate } from '../contributed/template';
import type { ClaimedRun, RecordedRun } from '../link/wire';
import { deviceKey, type Environment } from '../measure/device';
import type { Outcome } from '../measure/outcome';
import { summarise } from '../statistics/summary';
import type { SweepEvent } from '../view/api';
import { DirectLink } from './direct-link';
import { openQueue, type Queue } from './queue/queue';
import { reconcile } from './reconcile';
import {
  attach,
  capabilities,
  environment,
  failed,
  identity,
  measured,
} from './store/fixtures.test-helper';
import { olderDatabase, readFixture } from './store/older-database.test-helper';
import { openStore, type Store } from './store/store';
import { retrySweep } from './submit';
import { advanceTuning, submitTuning } from './tunings';

let store: Store;
let queue: Queue;
beforeAll(async () => {
  const databaseUrl = await testDatabase();
  store = openStore(databaseUrl);
  queue = openQueue({ redisUrl: testRedisUrl(), databaseUrl, prefix: `test-${randomUUID()}` });
});
afterAll(async () => {
  await queue.close();
  await store.close();
});

const tester = { name: 'tester' };
const problem = parseProblem({ op: 'transpose', shape: '512x256', dtype: 'f32' });

/** A time with one least over the numbers of an address, ns. */
const costOf = (address: string): number =>
  [...address.matchAll(/=(\d+)/g)].reduce(
    (sum, [, number]) => sum + 1e5 * Math.abs(Math.log2(Number(number) / 16)),
    1e7 + 1e3 * address.length,
  );

/** Takes this long over a run at least, ms. */
const RUN_MS = 25;

const outcomeOf = ({ policy, rival, variant }: ClaimedRun): Outcome => {
  const { address } = resolveVariant(variant.kernel, variant.tunables);
  const isScreen = policy === 'screen';
  const outcome = measured(costOf(address), { policy, ...(isScreen && { samples: 7 }) });
  if (!rival || outcome.kind !== 'measured') return outcome;
  const against = resolveVariant(rival.variant.kernel, rival.variant.tunables).address;
  const [a, b] = [address, against].map((each) => costOf(each)) as [number, number];
  const side = (ns: number) => ({
    ...summarise(Array.from({ length: 16 }, () => ns)),
    implausible: null,
  });
  const ratio = { verdict: 'FAST', ratio: b / a, low: b / a, high: b / a, wouldTake: 1 } as const;
  const duel = { ...ratio, rounds: 8, stop: 'converged', a: side(a), b: side(b) } as const;
  return {
    ...outcome,
    measurement: { ...outcome.measurement, duel: { against, duel, why: null } },
  };
};

const recordOf = (run: ClaimedRun, workerId: string, outcome: Outcome): RecordedRun => {
  const { definition, tunables } = resolveVariant(run.variant.kernel, run.variant.tunables);
  const device = run.deviceKey.split('-')[2] ?? '';
  return {
    runId: run.id,
    workerId,
    outcome,
    endedAt: new Date().toISOString(),
    environment: environment(device.charAt(0).toUpperCase() + device.slice(1)),
    wgsl: definition.runsOn === 'gpu' ? specialise(definition, tunables, run.problem.dtype) : null,
  };
};

interface Over {
  readonly key?: string;
  readonly budgetSeconds?: number;
  /** A kernel to search alone. */
  readonly kernel?: string;
  readonly problem?: Problem;
}

/** A device with a tuning, and a worker that serves it until told to stop. */
async function tuning(
  device: string,
  { budgetSeconds = 6, kernel, key, problem: asked = kernel ? product : problem }: Over = {},
) {
  const { deviceKey, workerId } = await (kernel ? taking(device) : attach(store, device));
  const made = await submitTuning(
    { store, queue },
    {
      device: deviceKey,
      problem: asked,
      profile: 'default',
      budgetSeconds,
      ...(kernel !== undefined && { kernel }),
    },
    tester,
    { ...(key !== undefined && { idempotencyKey: key }) },
  );
  const link = new DirectLink({ store, queue }, { workerId, deviceKey });
  const take = async () => (await link.next(AbortSignal.timeout(60_000))) ?? null;
  const end = async (run: ClaimedRun, outcome = outcomeOf(run)) => {
    await sleep(RUN_MS);
    await link.outcome(recordOf(run, workerId, outcome));
  };
  return { ...made, deviceKey, end, take, workerId };
}

/** Attaches a worker that runs contributed kernels. */
const taking = (device: string) =>
  store.workers.attach({
    name: device,
    host: 'lab',
    version: '0',
    identity: identity(device),
    capabilities,
    contributed: true,
  });

const product = parseProblem({ op: 'matmul', shape: '64', dtype: 'f32' });

/** Brings a kernel; its id. */
async function bring(source = kernelTemplate(`k-${randomUUID().slice(0, 8)}`)): Promise<string> {
  const by = { tokenId: randomUUID(), name: randomUUID().slice(0, 8), role: 'member' } as const;
  return (await store.contributed.add({ source }, by)).id;
}

const sweepOf = async (id: string) => {
  const sweep = await store.sweeps.get(id);
  if (!sweep?.tuning || 'suite' in sweep.tuning) throw new Error('There is no such tuning.');
  return { ...sweep, tuning: sweep.tuning };
};

/** Serves a tuning to its end. */
async function served({ end, id, take }: Awaited<ReturnType<typeof tuning>>, outcome = outcomeOf) {
  for (;;) {
    const { status } = await sweepOf(id);
    if (status === 'done' || status === 'cancelled') return sweepOf(id);
    const run = await take();
    if (run) await end(run, outcome(run));
  }
}

describe('a tuning', () => {
  test('grows until it names the fastest variant, which the board then has', async () => {
    const made = await tuning('Whole');
    expect(made.counts).toMatchObject({ total: 4, pending: 4 });
    const before = await sweepOf(made.id);
    expect(before).toMatchObject({ status: 'queued', name: 'Tune transpose 512x256 f32 on Whole' });
    expect(before.tuning).toMatchObject({ phase: 'screening', tried: 0, best: null });

    const told: SweepEvent[] = [];
    const leaving = new AbortController();
    const watching = store.sweeps.watch(made.id, (event) => told.push(event), leaving.signal);
    const after = await served(made);
    await vi.waitFor(() => expect(told.at(-1)?.status).toBe('done'), { timeout: 60_000 });
    leaving.abort();
    await watching;

    const { best, decision, finals, phase, tried, usedSeconds } = after.tuning;
    expect(phase).toBe('done');
    expect(decision?.stop).toBe('budget');
    expect(best?.address).toBe(decision?.winner);
    expect(tried).toBeGreaterThan(3);
    expect(usedSeconds).toBeGreaterThan(0.7 * after.tuning.budgetSeconds);
    expect(after.counts.pending).toBe(0);
    expect(after.finishedAt).not.toBeNull();

    const { items } = await store.sweeps.results(made.id);
    const winner = items.find(({ resultId }) => resultId === best?.resultId);
    expect(winner).toMatchObject({ policy: 'default', address: decision?.winner });
    if (winner?.outcome?.kind !== 'measured') throw new Error('not measured');
    const { highNs, lowNs, medianNs, samplesNs } = winner.outcome.measurement.cold;
    expect(best).toMatchObject({ policy: 'default', medianNs, lowNs, highNs });
    expect(best?.samples).toBe(samplesNs.length);
    const screened = items.filter(({ policy }) => policy === 'screen');
    expect(tried).toBe(screened.length);
    const isDuel = ({ outcome }: (typeof items)[number]) =>
      outcome?.kind === 'measured' && outcome.measurement.duel !== undefined;
    const inFull = items.filter((each) => each.policy === 'default' && !isDuel(each));
    expect(inFull.length).toBeGreaterThan(0);
    expect(finals).toBe(inFull.length);
    const least = Math.min(...screened.map(({ address }) => costOf(address)));
    expect(costOf(decision?.winner ?? '')).toBe(least);
    const answer = await store.best({
      op: 'transpose',
      dtype: 'f32',
      profile: 'default',
      device: made.deviceKey,
      rows: 512,
      cols: 256,
    });
    expect(answer?.address).toBe(decision?.winner);

    // It ran until it was decided.
    const undecided = told.filter(({ tuning: shown }) => !shown?.decision);
    expect(undecided.map(({ status }) => status)).not.toContain('done');
    const bestOf = ({ tuning: shown }: SweepEvent) => shown && 'best' in shown && shown.best;
    expect(undecided.some((event) => bestOf(event))).toBe(true);
    expect(told.at(-1)?.tuning?.decision).toEqual(decision);
    const shown = new Set(told.flatMap(({ results }) => results.map(({ runId }) => runId)));
    expect(shown.size).toBe(after.counts.total);
  });

  test("does not go by what a stranger's machine of the model measured", async () => {
    const made = await tuning('Watched');
    const token = { name: 'mallory', role: 'worker', expiresAt: null } as const;
    const { id: tokenId } = await store.tokens.create(token);
    const machine = { name: 'm', host: 'h', version: '0', capabilities };
    const stranger = await store.workers.attach({
      ...machine,
      identity: identity('Watched'),
      tokenId,
    });
    const [waiting] = (await store.sweeps.results(made.id)).items;
    const forged = await store.runs.claim(waiting?.runId ?? '', stranger.workerId);
    if (!forged) throw new Error('The stranger was given no run.');
    await sleep(8 * RUN_MS);
    // Less than any honest time: with it, no other variant would reach the finals.
    const outcome = measured(9e6, { policy: 'screen', samples: 7 });
    await store.runs.record(recordOf(forged, stranger.workerId, outcome));
    expect((await sweepOf(made.id)).tuning).toMatchObject({ tried: 1, best: null });

    const { decision } = (await served(made)).tuning;
    const { items } = await store.sweeps.results(made.id);
    const honest = items.filter(({ policy, runId }) => policy === 'screen' && runId !== forged.id);
    const least = Math.min(...honest.map(({ address }) => costOf(address)));
    expect(costOf(decision?.winner ?? '')).toBe(least);
    const { address } = resolveVariant(forged.variant.kernel, forged.variant.tunables);
    expect(decision?.winner).not.toBe(address);
  });

  test('is made once per key', async () => {
    const first = await tuning('Once', { key: 'once' });
    expect((await tuning('Once', { key: 'once' })).id).toBe(first.id);
    await store.sweeps.cancel(first.id);
  });

  test('has each run once, however many take it further', async () => {
    const made = await tuning('Many', { budgetSeconds: 60 });
    for (let turn = 0; turn < 6; turn++) {
      const { pending } = (await sweepOf(made.id)).counts;
      for (let ended = 0; ended < pending; ended++) {
        const run = await made.take();
        // As from another process, which died before it could.
        if (run) await store.runs.record(recordOf(run, made.workerId, outcomeOf(run)));
      }
      const all = [1, 2, 3, 4].map(() => advanceTuning({ store, queue }, made.id));
      await Promise.all(all);
    }
    const { items } = await store.sweeps.results(made.id);
    const names = items.map(({ address, policy }) => `${policy} ${address}`);
    expect(new Set(names).size).toBe(names.length);
    expect(names.length).toBeGreaterThan(10);
    await store.sweeps.cancel(made.id);
  });

  test('goes on after a crash in between, and is not done meanwhile', async () => {
    const made = await tuning('Crash', { budgetSeconds: 60 });
    for (let at = 0; at < 4; at++) {
      const run = await made.take();
      if (run) await store.runs.record(recordOf(run, made.workerId, outcomeOf(run)));
    }
    expect(await sweepOf(made.id)).toMatchObject({ status: 'running', finishedAt: null });
    const listed = async (state: 'open' | 'done') =>
      (await store.sweeps.list(undefined, { state })).items.map(({ id }) => id);
    expect(await listed('open')).toContain(made.id);
    expect(await listed('done')).not.toContain(made.id);
    expect(await reconcile({ store, queue })).toMatchObject({ advanced: 1 });
    expect((await sweepOf(made.id)).counts).toMatchObject({ total: 8, pending: 4 });
    expect(await reconcile({ store, queue })).toMatchObject({ advanced: 0 });
    await store.sweeps.cancel(made.id);
  });

  test('ends when it is cancelled, even with nothing to run', async () => {
    const made = await tuning('Stop', { budgetSeconds: 60 });
    const run = await made.take();
    await store.sweeps.cancel(made.id);
    if (run) await made.end(run);
    expect(await sweepOf(made.id)).toMatchObject({ status: 'cancelled', counts: { total: 1 } });
    const idle = await tuning('Idle', { budgetSeconds: 60 });
    for (let at = 0; at < 4; at++) {
      const each = await idle.take();
      if (each) await store.runs.record(recordOf(each, idle.workerId, outcomeOf(each)));
    }
    expect(await store.sweeps.cancel(idle.id)).toMatchObject({ status: 'cancelled' });
    expect(await reconcile({ store, queue })).toMatchObject({ advanced: 0 });
  });

  test('goes on past runs that fail, and while they are tried again', async () => {
    const made = await tuning('Fails');
    let at = 0;
    for (;;) {
      const { status } = await sweepOf(made.id);
      if (status === 'done') break;
      const run = await made.take();
      if (run) await made.end(run, at++ % 3 === 0 ? failed : outcomeOf(run));
      if (at === 5) await retrySweep({ store, queue }, made.id);
    }
    const { decision } = (await sweepOf(made.id)).tuning;
    expect(decision?.winner).not.toBeNull();
    // Afterwards, too: it stays decided.
    const retried = await retrySweep({ store, queue }, made.id);
    expect(retried?.retried).toBeGreaterThan(0);
    expect((await served(made)).tuning.decision).toEqual(decision);
  });

  test('counts the time of a run from its turn on the machine', async () => {
    const made = await tuning('Turn', { budgetSeconds: 60 });
    const [first, second] = [await made.take(), await made.take()];
    await sleep(1_200);
    const at = Date.now();
    for (const [run, waitedMs] of [
      [first, 0],
      [second, 1_100],
    ] as const) {
      if (!run) throw new Error('nothing to run');
      const beganAt = new Date(at - 1_200 + waitedMs).toISOString();
      const endedAt = new Date(at).toISOString();
      const record = recordOf(run, made.workerId, outcomeOf(run));
      await store.runs.record({ ...record, beganAt, endedAt });
    }
    // The second counts for the least that a run does.
    const { usedSeconds } = (await sweepOf(made.id)).tuning;
    expect(usedSeconds).toBeCloseTo(1.7);
    await store.sweeps.cancel(made.id);
  });

  test('counts no time in which its worker was away', async () => {
    const made = await tuning('Away', { budgetSeconds: 60 });
    const run = await made.take();
    await store.runs.release(run?.id ?? '', made.workerId);
    await sleep(300);
    expect((await sweepOf(made.id)).tuning.usedSeconds).toBe(0);
    await store.sweeps.cancel(made.id);
  });

  test('of one kernel tries all of its values and no other kernel, and its page shows what won', async () => {
    const kernel = await bring();
    const made = await tuning('Alone', { kernel, budgetSeconds: 60 });
    const after = await served(made, (run) =>
      run.variant.tunables.BLOCK === 4 ? failed : outcomeOf(run),
    );
    expect(after.name).toBe(`Tune ${kernel} 64 f32 on Alone`);
    expect(after.tuning).toMatchObject({ kernel, tried: 3, phase: 'done' });
    expect(after.tuning.decision).toMatchObject({
      stop: 'exhausted',
      winner: `${kernel}[BLOCK=16]`,
    });
    const { items } = await store.sweeps.results(made.id);
    expect(new Set(items.map(({ variant }) => variant.kernel))).toEqual(new Set([kernel]));
    const { runs, searches } = await store.contributed.results([kernel]);
    expect(searches).toEqual([after]);
    expect(runs.map(({ address }) => address)).toContain(after.tuning.best?.address);
    expect(new Set(runs.map(({ policy }) => policy))).toEqual(new Set(['default']));
    // As long as it is not published, neither is what was found of it.
    const listed = (await store.sweeps.list()).items.map(({ id }) => id);
    expect(listed).not.toContain(made.id);
  });

  test('of a problem with an epilogue runs what computes it, and says so', async () => {
    const epilogue = 'bias-relu';
    const asked = { ...product, epilogue } as const;
    const made = await tuning('Fused', {
      problem: asked,
      kernel: 'matmul/naive',
      budgetSeconds: 60,
    });
    expect((await made.take())?.problem).toEqual(asked);
    const { name, spec } = await sweepOf(made.id);
    expect(name).toBe('Tune matmul/naive 64 f32, bias, then relu on Fused');
    expect(spec).toMatchObject({ epilogue });
    await store.sweeps.cancel(made.id);
  });

  test('of one kernel ends when the kernel is removed', async () => {
    const kernel = await bring();
    const made = await tuning('Removed', { kernel, budgetSeconds: 60 });
    const run = await made.take();
    await store.contributed.remove(kernel);
    if (run) await made.end(run);
    expect(await sweepOf(made.id)).toMatchObject({ status: 'cancelled', counts: { total: 1 } });
    expect(await reconcile({ store, queue })).toMatchObject({ advanced: 0 });
  });

  test('of one kernel is refused at the field at fault', async () => {
    const { deviceKey } = await taking('Refuses');
    const { deviceKey: ours } = await attach(store, 'Ours');
    const kernel = await bring();
    const fixed = kernelTemplate(`k-${randomUUID().slice(0, 8)}`)
      .replace(/ *"tunables".*\n/, '')
      .replaceAll('BLOCK', '8');
    const values = Array.from({ length: 64 }, (_, i) => i + 1);
    const vast = kernelTemplate(`k-${randomUUID().slice(0, 8)}`)
      .replace(
        /"BLOCK": \{.*\} \}/,
        `"BLOCK": [${values}], "P": [${values}], "Q": [${values}], "R": [${values}] }`,
      )
      .replace('struct Shape', 'const used = P + Q + R;\nstruct Shape');
    const removed = await bring();
    await store.contributed.remove(removed);
    for (const [over, field] of [
      [{ kernel: 'matmul/nobody' }, 'kernel'],
      [{ kernel: 'ada/nobody@01234567' }, 'kernel'],
      [{ kernel: removed }, 'kernel'],
      [{ kernel: 'matmul/cpu-blocked' }, 'kernel'],
      [{ kernel: await bring(fixed) }, 'kernel'],
      [{ kernel: await bring(vast) }, 'kernel'],
      [{ device: ours }, 'device'],
      [{ profile: 'fast' }, 'profile'],
      [{ problem }, 'problem.op'],
      [{ problem: { ...product, dtype: 'i32' } }, 'problem.dtype'],
      [{ problem: { ...product, epilogue: 'relu' } }, 'problem.epilogue'],
    ] as const) {
      const body = { device: deviceKey, kernel, problem: product, profile: 'default', ...over };
      const asked = submitTuning(
        { store, queue },
        body as Parameters<typeof submitTuning>[1],
        tester,
      );
      const error = await asked.catch((each: unknown) => each);
      expect(error, JSON.stringify(over)).toBeInstanceOf(InputError);
      expect((error as InputError).field, JSON.stringify(over)).toBe(field);
    }
  });

  test.each([
    [{ device: 'nowhere' }, 'device'],
    [{ profile: 'fast' }, 'profile'],
    [{ problem: { ...problem, dtype: 'f16acc16' } }, 'problem.dtype'],
    [{ problem: { ...problem, dtype: 'f16' } }, 'problem.dtype'],
  ] as const)('refuses %j at its field', async (over, field) => {
    const { deviceKey } = await attach(store, 'Page', 'w', 'browser');
    const body = { device: deviceKey, problem, profile: 'default', budgetSeconds: 60, ...over };
    const asked = submitTuning(
      { store, queue },
      body as Parameters<typeof submitTuning>[1],
      tester,
    );
    const error = await asked.catch((each: unknown) => each);
    expect(error).toBeInstanceOf(InputError);
    expect((error as InputError).field).toBe(field);
  });
});

test('a search that an earlier release began goes on to its end', async () => {
  const fixture = await readFixture('search-under-way.json');
  const url = await olderDatabase('20261126140000_shared_processors', fixture);
  await migrate(url);
  const older = openStore(url);
  const jobs = openQueue({ redisUrl: testRedisUrl(), databaseUrl: url, prefix: randomUUID() });
  try {
    const [done, underWay] = await Promise.all(
      fixture.Sweep?.map(({ id }) => older.sweeps.get(String(id))) ?? [],
    );
    expect([done?.status, underWay?.status]).toEqual(['done', 'queued']);
    expect(done?.tuning?.decision).toEqual(fixture.Sweep?.[0]?.decision);
    const content = fixture.Environment?.[0]?.content as Environment;
    const { workerId } = await older.workers.attach({
      name: 'lab',
      host: 'lab',
      version: '0.1.0',
      identity: content.device,
      capabilities: content.capabilities,
    });
    const services = { store: older, queue: jobs };
    await reconcile(services);
    const link = new DirectLink(services, { workerId, deviceKey: deviceKey(content.device) });
    const earlier = (await older.sweeps.results(underWay?.id ?? '')).items;
    expect(earlier.map(({ outcome }) => outcome?.kind ?? 'pending').sort()).toEqual([
      ...Array.from({ length: 4 }, () => 'measured'),
      ...Array.from({ length: 3 }, () => 'pending'),
    ]);
    const now = () => older.sweeps.get(underWay?.id ?? '');
    while ((await now())?.status !== 'done') {
      const run = await link.next(AbortSignal.timeout(60_000));
      if (!run) continue;
      const record = recordOf(run, workerId, outcomeOf(run));
      await link.outcome({ ...record, environment: content });
    }
    const decision = (await now())?.tuning?.decision;
    expect(decision).toMatchObject({ stop: 'budget', winner: expect.any(String) });
    const { items } = await older.sweeps.results(underWay?.id ?? '');
    const measuredBefore = earlier.filter(({ outcome }) => outcome);
    expect(items).toEqual(expect.arrayContaining(measuredBefore));
    expect(items.length).toBeGreaterThan(earlier.length);
  } finally {
    await jobs.close();
    await older.close();
  }
});
