import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@tilemark/db';
import {
  feasible,
  InputError,
  parseProblem,
  resolveVariant,
  shapeText,
  sourceFor,
  variantAddress,
} from '@tilemark/kernels';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { testRedisUrl } from '../../services.test-helper';
import type { SweepEvent } from '../api/api';
import type { RunOutcome } from '../api/run';
import type { NewTuning, TuningDecision } from '../api/tuning';
import { kernelTemplate } from '../contributed/template';
import { GridUnavailable, Refused } from '../link/link';
import type { Outcome } from '../measure/outcome';
import { POLICIES } from '../measure/policy';
import { FAMILIES } from '../plan/families';
import { summarise } from '../statistics/summary';
import { Interrupted } from '../worker/claimed-run';
import { type ClaimedSearch, searchClaimed } from '../worker/claimed-search';
import type { WorkerParts } from '../worker/parts';
import type { MeasureInput } from '../worker/runner';
import { GridWorker } from '../worker/worker';
import { DirectLink } from './direct-link';
import { openQueue, type Queue } from './queue/queue';
import { reconcile } from './reconcile';
import { bestOf } from './store/best/tiles.test-helper';
import {
  attach,
  capabilities,
  environment,
  failed,
  identity,
  measured,
  sweepOf as ordinarySweepOf,
  planned,
} from './store/fixtures.test-helper';
import { testStore } from './store/store.test-helper';
import { retrySweep } from './submit';
import { submitTuning } from './tunings';

let queue: Queue;
const { store, url: databaseUrl } = await testStore();
beforeAll(async () => {
  queue = openQueue({ redisUrl: testRedisUrl(), databaseUrl, prefix: `test-${randomUUID()}` });
});
afterAll(async () => {
  await queue.close();
});

const tester = { name: 'tester' };
const problem = parseProblem({ op: 'transpose', shape: '512x256', dtype: 'f32' });
const product = parseProblem({ op: 'matmul', shape: '64', dtype: 'f32' });

/** A time with one least over the numbers of an address, ns. */
const costOf = (address: string): number =>
  [...address.matchAll(/=(\d+)/g)].reduce(
    (sum, [, number]) => sum + 1e5 * Math.abs(Math.log2(Number(number) / 16)),
    1e7 + 1e3 * address.length,
  );

type Asked = Pick<MeasureInput, 'policy' | 'problem' | 'rival' | 'variant'>;

const outcomeOf = ({ policy, rival, variant }: Asked): Outcome => {
  const outcome = measured(costOf(variantAddress(variant)), {
    policy,
    ...(!POLICIES[policy].rankable && { samples: 7 }),
  });
  if (!rival || outcome.kind !== 'measured') return outcome;
  const against = variantAddress(rival.variant);
  const [a, b] = [variantAddress(variant), against].map(costOf) as [number, number];
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

/** A run takes this long at least, ms. */
const RUN_MS = 25;

/** A device, by a formula; what it has measured in order. */
function formula(
  device: string,
  found: (run: Asked, at: number) => Outcome = outcomeOf,
  runMs = RUN_MS,
) {
  const ran: string[] = [];
  const runner: WorkerParts['runner'] = {
    open: async () => ({
      ...{ identity: identity(device), capabilities, lastLevelCacheBytes: null },
      environment: environment(device),
    }),
    run: async (run) => {
      await sleep(runMs);
      const { definition, tunables } = resolveVariant(run.variant.kernel, run.variant.tunables);
      const against = run.rival ? ` against ${variantAddress(run.rival.variant)}` : '';
      ran.push(`${run.policy} ${shapeText(run.problem)} ${variantAddress(run.variant)}${against}`);
      const wgsl =
        definition.runsOn === 'gpu' ? sourceFor(definition, tunables, run.problem) : null;
      return { outcome: found(run, ran.length), environment: environment(device), wgsl };
    },
    close: async () => {},
  };
  return { ran, runner };
}

/** A journal in memory. */
function journal(): WorkerParts['journal'] {
  const records = new Map<string, RunOutcome>();
  return {
    append: async (record) => void records.set(record.runId, record),
    strike: async (runId) => void records.delete(runId),
    setAside: async (runId) => void records.delete(runId),
    pending: async () => [...records.values()],
  };
}

const log = { debug() {}, info() {}, warn() {}, error() {} };

/** A worker of a device, as it serves a grid. */
async function serve(
  device: string,
  { runner }: Pick<WorkerParts, 'runner'>,
  link = new DirectLink({ store, queue }),
) {
  const { worker } = await GridWorker.attach({
    ...{ link, runner, journal: journal(), log },
    describe: (described) => ({
      ...{ name: device, host: 'lab', version: '0', contributed: true },
      ...{ identity: described.identity, capabilities: described.capabilities },
    }),
    alone: (work) => work(),
    finishWithinMs: 1,
  });
  return worker;
}

/** A device with a search that waits for it, whose back-fill does not come first. */
async function tuning(
  device: string,
  over: Partial<NewTuning> & { key?: string; by?: string } = {},
) {
  const { by, key, ...asked } = over;
  const { deviceKey, workerId } = await store.workers.attach({
    ...{ name: device, host: 'lab', version: '0', contributed: true },
    ...{ identity: identity(device), capabilities },
  });
  const made = await submitTuning(
    { store, queue },
    {
      ...{ device: deviceKey, profile: 'default', budgetSeconds: 2 },
      ...(asked.suite === undefined && { problem: asked.kernel ? product : problem }),
      ...asked,
    },
    { ...tester, ...(by !== undefined && { tokenId: by }) },
    { ...(key !== undefined && { idempotencyKey: key }) },
  );
  return {
    ...made,
    deviceKey,
    link: new DirectLink({ store, queue }, { workerId, deviceKey }),
    workerId,
  };
}
type Made = Awaited<ReturnType<typeof tuning>>;

async function claim({ link }: Pick<Made, 'link'>): Promise<ClaimedSearch> {
  const run = await link.next(AbortSignal.timeout(60_000));
  if (!run?.search) throw new Error('There is no search to claim.');
  return { ...run, search: run.search };
}

/** Works at a claimed search until so many runs were measured; what it found, if it came to that. */
const work = (
  run: ClaimedSearch,
  { link, workerId }: Pick<Made, 'link' | 'workerId'>,
  { ran, runner }: ReturnType<typeof formula>,
  runs = Number.POSITIVE_INFINITY,
  mostAnswers?: number,
) => {
  const until = ran.length + runs;
  const kept: Promise<void>[] = [];
  return searchClaimed(
    run,
    { runner, alone: (work) => work() },
    { clockAheadMs: 0, workerId },
    {
      signal: new AbortController().signal,
      isOver: () => ran.length >= until,
      ...(mostAnswers !== undefined && { mostAnswers }),
      // As a worker does, which measures on meanwhile.
      keep: async (_, record) => void kept.push(link.outcome(record)),
    },
  ).finally(() => Promise.all(kept));
};

const sweepOf = async (id: string) => {
  const sweep = await store.sweeps.get(id);
  if (!sweep?.tuning) throw new Error('There is no such search.');
  return { ...sweep, tuning: sweep.tuning };
};
const rowsOf = async (id: string) => (await store.sweeps.results(id)).items;

/** As if it had been silent for long. */
async function lose(workerId: string): Promise<void> {
  const db = createClient(databaseUrl);
  const lastHeartbeatAt = new Date(Date.now() - 60_000);
  await db.worker.update({ where: { id: workerId }, data: { lastHeartbeatAt } });
  await db.$disconnect();
}

/** Brings a kernel; its id. */
async function bring(source = kernelTemplate(`k-${randomUUID().slice(0, 8)}`)): Promise<string> {
  const by = { tokenId: randomUUID(), name: randomUUID().slice(0, 8), role: 'member' } as const;
  return (await store.contributed.add({ source }, by)).id;
}

const taking = (device: string) =>
  tuning(device).then(async (made) => {
    await store.sweeps.cancel(made.id);
    return made;
  });

describe('a search', () => {
  test('is a run that its worker drives: a row per variant, then the winner, which the board has', async () => {
    const made = await tuning('Whole');
    expect(made.counts).toMatchObject({ total: 1, pending: 1 });
    const before = await sweepOf(made.id);
    expect(before).toMatchObject({ status: 'queued', name: 'Tune transpose 512x256 f32 on Whole' });
    expect(before.tuning).toMatchObject({ problem, tried: 0, decision: null });
    expect(await rowsOf(made.id)).toEqual([]);

    const told: SweepEvent[] = [];
    const leaving = new AbortController();
    const watching = store.sweeps.watch(made.id, (event) => told.push(event), leaving.signal);
    const device = formula('Whole');
    const worker = await serve('Whole', device);
    await vi.waitFor(() => expect(told.at(-1)?.status).toBe('done'), { timeout: 60_000 });
    await worker.stop();
    leaving.abort();
    await watching;

    const { counts, tuning: after } = await sweepOf(made.id);
    const rows = await rowsOf(made.id);
    expect(after.decision).toMatchObject({ stop: 'budget', shapes: null });
    expect(counts).toMatchObject({ pending: 0, total: rows.length, measured: rows.length });
    expect(after.usedSeconds).toBeGreaterThan(0.9);
    const screened = rows.filter(({ policy }) => policy === 'screen');
    expect(after.tried).toBe(screened.length);
    expect(screened.length).toBeGreaterThan(10);
    const least = Math.min(...screened.map(({ address }) => costOf(address)));
    const winner = after.decision?.winner ?? '';
    expect(costOf(winner)).toBe(least);
    expect(rows.some((row) => row.policy === 'default' && row.address === winner)).toBe(true);
    const answer = await bestOf(store, {
      ...{ op: 'transpose', dtype: 'f32', profile: 'default', device: made.deviceKey },
      ...{ rows: 512, cols: 256 },
    });
    expect(answer?.address).toBe(winner);
    // Its page saw each row come, in the order of the search.
    const shown = new Set(told.flatMap(({ results }) => results.map(({ runId }) => runId)));
    expect(shown.size).toBe(rows.length);
    expect(told.some(({ status }) => status === 'running')).toBe(true);
    expect(told.at(-1)?.tuning?.decision).toEqual(after.decision);
    expect(rows.map(({ address, policy }) => `${policy} 512x256 ${address}`)).toEqual(
      device.ran
        // Its back-fill has other problems.
        .filter((each) => each.includes(' 512x256 '))
        .map((each) => each.replace(/ against .*/, '')),
    );
  });

  test('is made once per key', async () => {
    const first = await tuning('Once', { key: 'once' });
    expect((await tuning('Once', { key: 'once' })).id).toBe(first.id);
    await store.sweeps.cancel(first.id);
  });

  test('goes on from what a lost worker has measured, and measures nothing twice', async () => {
    const made = await tuning('Lost');
    const device = formula('Lost');
    const run = await claim(made);
    await expect(work(run, made, device, 12)).rejects.toThrow(Interrupted);
    expect(await sweepOf(made.id)).toMatchObject({
      status: 'running',
      counts: { measured: 12, pending: 1 },
      tuning: { tried: 12 },
    });
    await lose(made.workerId);
    expect(await reconcile({ store, queue })).toMatchObject({ reclaimed: 1 });
    // Its lock has ended, too.
    await queue.putBack({ id: run.id, deviceKey: made.deviceKey }, made.workerId, 0);
    const second = await store.workers.attach({
      ...{ name: 'second', host: 'lab', version: '0', identity: identity('Lost'), capabilities },
    });
    const { deviceKey, workerId } = second;
    const other = { workerId, link: new DirectLink({ store, queue }, { workerId, deviceKey }) };
    const again = await claim(other);
    expect(again.search.steps).toHaveLength(12);
    const found = await work(again, other, device);
    if (!('stop' in found)) throw new Error('It was not decided.');
    await other.link.decide(again.id, found);
    expect(new Set(device.ran).size).toBe(device.ran.length);
    const { counts, status, tuning: after } = await sweepOf(made.id);
    expect([status, counts.total, counts.pending]).toEqual(['done', device.ran.length, 0]);
    expect(after.decision?.winner).toBe(found.winner);
    // Its budget was that of both.
    expect(device.ran.length).toBeLessThan(2_000 / RUN_MS + 20);
  });

  test('takes turns with what waits for its device, and writes what is sent twice once', async () => {
    const made = await tuning('Turns');
    const device = formula('Turns');
    const run = await claim(made);
    const sent: RunOutcome[] = [];
    const link = {
      ...made.link,
      outcome: async (record: RunOutcome) => {
        sent.push(record);
        await made.link.outcome(record);
        await made.link.outcome(record);
      },
    } as unknown as DirectLink;
    await expect(work(run, { ...made, link }, device, 3)).rejects.toThrow(Interrupted);
    await made.link.handBack(run.id);
    const again = await claim(made);
    expect([again.id, again.attempt, again.seed]).toEqual([run.id, 1, run.seed]);
    expect(again.search.steps.map(({ address }) => address)).toEqual(
      sent.map(({ run }) => run && variantAddress(run.variant)),
    );
    const { items } = await store.sweeps.results(made.id);
    expect(items.map(({ runId }) => runId)).toEqual(sent.map(({ runId }) => runId));
    await store.sweeps.cancel(made.id);
    expect(await made.link.heartbeat('running', [again.id])).toMatchObject({ lost: [again.id] });
    await made.link.handBack(again.id);
    expect(await sweepOf(made.id)).toMatchObject({ status: 'cancelled', counts: { total: 3 } });
    // Nobody waits for what it measures now.
    const [late] = sent;
    if (!late) throw new Error('nothing was sent');
    const more = made.link.outcome({ ...late, runId: randomUUID() });
    await expect(more).rejects.toMatchObject({ isGone: true });
  });

  test('goes on past runs that fail, and while they are tried again', async () => {
    const made = await tuning('Fails', { budgetSeconds: 3 });
    const device = formula('Fails', (run, at) => (at % 3 === 0 ? failed : outcomeOf(run)));
    const run = await claim(made);
    await expect(work(run, made, device, 9)).rejects.toThrow(Interrupted);
    const retried = await retrySweep({ store, queue }, made.id);
    expect(retried?.retried).toBe(3);
    const found = await work(run, made, device);
    if (!('stop' in found)) throw new Error('It was not decided.');
    expect(found.winner).not.toBeNull();
    await made.link.decide(run.id, found);
    // Those that are tried again are runs as all are.
    expect(await sweepOf(made.id)).toMatchObject({ status: 'running', counts: { pending: 3 } });
    expect((await made.link.next(AbortSignal.timeout(60_000)))?.search).toBeUndefined();
    await store.sweeps.cancel(made.id);
  });

  test('that costs worker after worker fails, and is tried again when asked', async () => {
    const made = await tuning('Costly');
    const device = formula('Costly');
    const run = await claim(made);
    const ended = await work({ ...run, attempt: 4 }, made, device);
    if (!('outcome' in ended)) throw new Error('It was decided.');
    await made.link.outcome(ended);
    expect(await rowsOf(made.id)).toMatchObject([
      { outcome: { kind: 'failed', message: '3 workers were lost while running it' } },
    ]);
    expect(device.ran).toEqual([]);
    expect((await sweepOf(made.id)).status).toBe('done');
    await retrySweep({ store, queue }, made.id);
    expect(await rowsOf(made.id)).toEqual([]);
    expect((await claim(made)).id).toBe(run.id);
    await store.sweeps.cancel(made.id);
  });

  test('ends once all that was measured for it has been handed in', async () => {
    const kernel = await bring();
    const made = await tuning('Down', { kernel, budgetSeconds: 60 });
    const device = formula('Down');
    let downUntilMs: number | null = null;
    class DownLink extends DirectLink {
      override async outcome(record: RunOutcome): Promise<void> {
        if (record.searchId !== undefined) downUntilMs ??= Date.now() + 2_500;
        if (Date.now() < (downUntilMs ?? 0)) throw new GridUnavailable('it is down');
        await super.outcome(record);
      }
    }
    const worker = await serve('Down', device, new DownLink({ store, queue }));
    const done = async () => expect((await sweepOf(made.id)).status).toBe('done');
    await vi.waitFor(done, { timeout: 20_000 });
    await worker.stop();
    const ran = device.ran.filter((each) => each.includes(kernel));
    expect(new Set(ran).size).toBe(ran.length);
    expect(await rowsOf(made.id)).toHaveLength(ran.length);
  });

  test('that its worker gave back takes what that has measured for it', async () => {
    const { id: tokenId } = await store.tokens.create({
      ...{ name: 'gives-back', role: 'worker', expiresAt: null },
    });
    const made = await tuning('Given', { by: tokenId });
    await store.workers.detach(made.workerId);
    const { deviceKey, workerId } = await store.workers.attach({
      ...{ name: 'w', host: 'h', version: '0', tokenId, capabilities, identity: identity('Given') },
    });
    const own = { workerId, link: new DirectLink({ store, queue }, { workerId, deviceKey }) };
    const run = await claim(own);
    const sent: RunOutcome[] = [];
    const link = { outcome: async (record: RunOutcome) => void sent.push(record) };
    const device = formula('Given', () => failed);
    await work(run, { workerId, link: link as unknown as DirectLink }, device, 1).catch(() => {});
    await own.link.handBack(run.id);
    for (const record of sent) expect(await own.link.end(record)).toEqual({ recorded: true });
    await store.sweeps.cancel(made.id);
  });

  test('fails where its grid takes nothing of what it measures', async () => {
    const made = await tuning('Full');
    class FullLink extends DirectLink {
      override async outcome(record: RunOutcome): Promise<void> {
        if (record.searchId !== undefined) throw new Refused('is more than a search has', 'run');
        await super.outcome(record);
      }
    }
    const worker = await serve('Full', formula('Full'), new FullLink({ store, queue }));
    const done = async () => expect((await sweepOf(made.id)).status).toBe('done');
    await vi.waitFor(done, { timeout: 20_000 });
    await worker.stop();
    expect(await rowsOf(made.id)).toMatchObject([
      {
        outcome: { kind: 'failed', message: expect.stringContaining('is more than a search has') },
      },
    ]);
  });

  test('is skipped with the reason where nothing fits the device as it is', async () => {
    const made = await tuning('Shrunk');
    const { runner } = formula('Shrunk');
    const run = await claim(made);
    const small = { ...capabilities, maxComputeWorkgroupsPerDimension: 1 };
    const open = async () => ({ ...(await runner.open('default')), capabilities: small });
    const ended = await work(run, made, { ran: [], runner: { ...runner, open } });
    expect(ended).toMatchObject({ outcome: { kind: 'skipped', why: /No variant of a kernel/ } });
    await store.sweeps.cancel(made.id);
  });

  test('takes what it asked for from the worker that has it, and nothing else', async () => {
    const made = await tuning('Strict');
    const device = formula('Strict');
    const run = await claim(made);
    const sent: RunOutcome[] = [];
    const link = { outcome: async (record: RunOutcome) => void sent.push(record) };
    await work(run, { ...made, link: link as unknown as DirectLink }, device, 1).catch(() => {});
    const [honest] = sent;
    if (!honest?.run) throw new Error('nothing was sent');
    const { searchId: _, ...unnamed } = honest;
    const asked = (over: object) => ({ ...honest, run: { ...honest.run, ...over } }) as RunOutcome;
    const { id: other } = await tuning('Other');
    for (const [what, record] of [
      ['another problem', asked({ problem: { ...problem, shape: { rows: 512, cols: 512 } } })],
      ['a kernel of another op', asked({ variant: { kernel: 'matmul/naive', tunables: {} } })],
      ['a kernel of a CPU', asked({ variant: { kernel: 'transpose/cpu-naive', tunables: {} } })],
      ['an unknown kernel', asked({ variant: { kernel: 'matmul/nobody', tunables: {} } })],
      ['another policy', asked({ policy: 'smoke' })],
      ['another profile', asked({ profile: 'fast' })],
      ['nothing', { ...honest, run: undefined }],
      ['a measurement of the search itself', { ...unnamed, runId: run.id }],
    ] as const) {
      await expect(made.link.outcome(record), what).rejects.toBeInstanceOf(Refused);
    }
    await expect(made.link.outcome({ ...honest, searchId: randomUUID() })).rejects.toMatchObject({
      isGone: true,
    });
    expect(await rowsOf(made.id)).toEqual([]);
    const decision = { stop: 'exhausted', shapes: null } as const;
    const undone = made.link.decide(run.id, { winner: 'transpose/naive', ...decision });
    await expect(undone).rejects.toBeInstanceOf(Refused);
    const { link: strange } = await tuning('Strange');
    const stolen = strange.decide(run.id, { winner: null, ...decision });
    await expect(stolen).rejects.toBeInstanceOf(Refused);
    await made.link.outcome(honest);
    // A winner was measured in full, alone, and is believed.
    const winner = variantAddress(honest.run.variant);
    const [disbelieved, dueled, full] = [
      { policy: 'default', found: measured(1e6, { unranked: 'too fast', disbelieved: true }) },
      { policy: 'default', found: outcomeOf, rival: { kernel: 'transpose/naive', tunables: {} } },
      { policy: 'default', found: outcomeOf },
    ] as const;
    const win = () => made.link.decide(run.id, { winner, ...decision });
    await expect(win()).rejects.toBeInstanceOf(Refused);
    for (const { found, policy, ...over } of [disbelieved, dueled, full]) {
      const run = { ...honest.run, policy, ...over };
      const rival = run.rival && { variant: run.rival };
      const outcome = typeof found === 'function' ? found({ ...run, rival }) : found;
      await expect(win()).rejects.toBeInstanceOf(Refused);
      await made.link.outcome({ ...honest, runId: randomUUID(), run, outcome });
    }
    const again = await store.runs.claim(run.id, made.workerId);
    expect(again?.search?.steps.map((each) => each.disbelieved)).toEqual([
      ...[false, true, false, false],
    ]);
    const ordinary = { ...honest, searchId: honest.runId, runId: randomUUID() };
    await made.link.outcome(ordinary);
    expect(await rowsOf(made.id)).toHaveLength(4);
    for (const id of [made.id, other]) await store.sweeps.cancel(id);
    await expect(win()).rejects.toBeInstanceOf(Refused);
  });

  test('ends no run but those that it adds, each at its place', async () => {
    const made = await tuning('Thief');
    const run = await claim(made);
    const sent: RunOutcome[] = [];
    const link = { outcome: async (record: RunOutcome) => void sent.push(record) };
    const device = formula('Thief');
    await work(run, { ...made, link: link as unknown as DirectLink }, device, 2).catch(() => {});
    const [record, next] = sent;
    if (!record || !next) throw new Error('nothing was sent');
    const other = await attach(store, 'Robbed');
    const robbed = await ordinarySweepOf(store, [
      planned(other.deviceKey),
      planned(other.deviceKey),
    ]);
    const [waiting = '', running = ''] = robbed.runIds;
    await store.runs.claim(running, other.workerId);
    for (const runId of [waiting, running, run.id]) {
      const { recorded } = await made.link.end({ ...record, runId });
      expect(recorded).toBe(false);
    }
    expect(await store.sweeps.get(robbed.id)).toMatchObject({
      counts: { pending: 2, measured: 0 },
    });
    expect(await sweepOf(made.id)).toMatchObject({ counts: { total: 1, pending: 1 } });
    // Nor does what was sent before move it.
    for (const [each, recorded] of [
      [record, true],
      [record, false],
      [next, true],
    ] as const) {
      expect(await made.link.end(each)).toEqual({ recorded });
    }
    const db = createClient(databaseUrl);
    const rows = await db.run.findMany({
      where: { sweepId: made.id },
      orderBy: { ordinal: 'asc' },
      select: { id: true, ordinal: true },
    });
    await db.$disconnect();
    expect(rows).toEqual(
      [record.runId, next.runId, run.id].map((id, ordinal) => ({ id, ordinal })),
    );
    await store.sweeps.cancel(made.id);
  });

  test('is taken by a worker of an untrusted token where that asked for it, and decides nothing', async () => {
    const token = async (name: string) =>
      (await store.tokens.create({ name, role: 'worker', expiresAt: null })).id;
    const [own, other] = [await token('own'), await token('other')];
    const { deviceKey, id, workerId } = await tuning('Stranger', { by: own });
    const attached = async (tokenId: string) => {
      const described = { host: 'h', version: '0', capabilities };
      const worker = { ...described, name: tokenId, identity: identity('Stranger'), tokenId };
      const strange = await store.workers.attach(worker);
      return { ...strange, link: new DirectLink({ store, queue }, strange) };
    };
    const [mine, theirs] = [await attached(own), await attached(other)];
    expect(await theirs.link.next(AbortSignal.timeout(1_000))).toBeNull();
    // The operator's own takes them all; here it goes.
    await store.workers.detach(workerId);
    await sleep(3_500);
    const run = await claim(mine);
    const device = formula('Stranger', (input) => {
      const outcome = outcomeOf(input);
      if (outcome.kind !== 'measured') return outcome;
      const { measurement } = outcome;
      const verification = { ...measurement.verification, seed: run.seed };
      return { ...outcome, measurement: { ...measurement, verification } };
    });
    const found = await work(run, mine, device);
    if (!('stop' in found)) throw new Error('It was not decided.');
    await mine.link.decide(run.id, found);
    expect((await rowsOf(id)).every(({ trusted }) => trusted === false)).toBe(true);
    expect(await store.devices.best(deviceKey)).toEqual([]);
  });

  test('of one kernel tries all of its values and no other kernel, and its page shows what won', async () => {
    const kernel = await bring();
    const made = await tuning('Alone', { kernel, budgetSeconds: 60 });
    const device = formula('Alone', (run) =>
      run.variant.tunables.BLOCK === 4
        ? { kind: 'failed', stage: 'compile', message: 'no' }
        : outcomeOf(run),
    );
    const run = await claim(made);
    expect(run.contributed?.refusal).toBeNull();
    const found = await work(run, made, device);
    if (!('stop' in found)) throw new Error('It was not decided.');
    await made.link.decide(run.id, found);
    const after = await sweepOf(made.id);
    expect(after.name).toBe(`Tune ${kernel} 64 f32 on Alone`);
    const winner = `${kernel}[BLOCK=16]`;
    expect(after.tuning).toMatchObject({
      kernel,
      tried: 3,
      decision: { stop: 'exhausted', winner },
    });
    const rows = await rowsOf(made.id);
    expect(new Set(rows.map(({ variant }) => variant.kernel))).toEqual(new Set([kernel]));
    const { runs } = await store.contributed.results([kernel]);
    expect(runs.map(({ address }) => address)).toContain(winner);
    expect(new Set(runs.map(({ policy }) => policy))).toEqual(new Set(['default']));
    // As long as it is not published, neither is what was found of it.
    const listed = (await store.sweeps.list()).items.map(({ id }) => id);
    expect(listed).not.toContain(made.id);
  });

  test('of one kernel continues after a restart of its grid, which has not read the kernel yet', async () => {
    const kernel = await bring();
    const made = await tuning('Anew', { kernel, budgetSeconds: 60 });
    const device = formula('Anew');
    const sent: RunOutcome[] = [];
    const link = { outcome: async (record: RunOutcome) => void sent.push(record) };
    const run = await claim(made);
    await work(run, { ...made, link: link as unknown as DirectLink }, device, 2).catch(() => {});
    vi.resetModules();
    const replica = (await import('./store/store')).openStore(databaseUrl);
    for (const record of sent)
      expect(await replica.runs.record(record)).toEqual({ recorded: true });
    await replica.close();
    vi.resetModules();
    const third = (await import('./store/store')).openStore(databaseUrl);
    const again = await third.runs.claim(run.id, made.workerId);
    await third.close();
    const addresses = sent.map(({ run }) => run && variantAddress(run.variant));
    expect(again?.search?.steps.map(({ address }) => address)).toEqual(addresses);
    const unknown = { kernel: `${kernel.slice(0, -2)}zz`, tunables: {} };
    const [record] = sent;
    if (!record?.run) throw new Error('nothing was sent');
    const strange = { ...record, runId: randomUUID(), run: { ...record.run, variant: unknown } };
    await expect(made.link.outcome(strange)).rejects.toMatchObject({ field: 'run.variant' });
    await store.sweeps.cancel(made.id);
  });

  test('of a problem with an epilogue runs what computes it, and says so', async () => {
    const asked = { ...product, epilogue: 'bias-relu' } as const;
    const made = await tuning('Fused', { problem: asked, kernel: 'matmul/naive' });
    const device = formula('Fused');
    await work(await claim(made), made, device, 1).catch(() => {});
    expect((await rowsOf(made.id)).map((row) => row.problem)).toEqual([asked]);
    const { name, spec } = await sweepOf(made.id);
    expect(name).toBe('Tune matmul/naive 64 f32, bias, then relu on Fused');
    expect(spec).toMatchObject({ epilogue: 'bias-relu' });
    await store.sweeps.cancel(made.id);
  });

  test('of one kernel ends when the kernel is removed', async () => {
    const kernel = await bring();
    const made = await tuning('Removed', { kernel });
    const run = await claim(made);
    await store.contributed.remove(kernel);
    expect(await made.link.heartbeat('running', [run.id])).toMatchObject({ lost: [run.id] });
    await made.link.handBack(run.id);
    expect(await sweepOf(made.id)).toMatchObject({ status: 'cancelled', counts: { total: 0 } });
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

const suite = 'transpose-shapes';
const family = FAMILIES.find(({ id }) => id === suite);

describe('the search of a family', () => {
  test('has a row per variant and shape, says what does not fit, and goes on where it was', async () => {
    const made = await tuning('Kin', { suite, dtype: 'f32', budgetSeconds: 6 });
    const { name, tuning: before } = await sweepOf(made.id);
    expect(name).toBe('Tune transpose-shapes f32 on Kin');
    expect(before).toMatchObject({ suite, dtype: 'f32', tried: 0 });
    // Room for small matrices only.
    const small = { ...capabilities, maxStorageBufferBindingSize: 2 ** 27 };
    const found = (run: Asked): Outcome => {
      const fit = feasible(run.variant, run.problem, small);
      return fit.ok ? outcomeOf(run) : { kind: 'skipped', why: fit.why };
    };
    const { ran, runner } = formula('Kin', found, 2);
    const open = async () => ({ ...(await runner.open('default')), capabilities: small });
    const device = { ran, runner: { ...runner, open } };
    let run = await claim(made);
    await expect(work(run, made, device, 60)).rejects.toThrow(Interrupted);
    await made.link.handBack(run.id);
    run = await claim(made);
    const decided = await work(run, made, device);
    if (!('stop' in decided)) throw new Error('It was not decided.');
    await made.link.decide(run.id, decided);
    expect(new Set(ran).size).toBe(ran.length);
    expect(decided).toMatchObject({ winner: null, stop: 'budget' });
    expect(decided.shapes).toBeGreaterThan(1);
    expect(decided.shapes).toBeLessThan(family?.shapes.length ?? 0);
    const rows = await store.sweeps.runs(made.id, 20_000);
    expect(rows).toHaveLength(ran.length);
    const skipped = rows.filter(({ kind }) => kind === 'skipped');
    expect(skipped.map((row) => shapeText(row.problem))).toContain('8192');
    const { counts, tuning: after } = await sweepOf(made.id);
    expect(counts.skipped).toBe(skipped.length);
    expect(after.tried).toBe(
      ran.filter((each) => each.startsWith('screen') && !each.includes('against')).length -
        skipped.length,
    );
    // What it found is evidence of the device.
    const [shown] = rows.filter(({ kind, policy }) => kind === 'measured' && policy === 'screen');
    if (shown?.problem.op !== 'transpose') throw new Error('nothing was screened');
    const ask = { op: 'transpose', dtype: 'f32', profile: 'default' } as const;
    const answer = await bestOf(store, { ...ask, device: made.deviceKey, ...shown.problem.shape });
    expect(answer).toMatchObject({ quote: { source: 'searched' } });
  });

  test('ends where it has as many runs as a search may, those of earlier turns included', async () => {
    const made = await tuning('Capped', { suite, dtype: 'f32', budgetSeconds: 3_600 });
    const device = formula('Capped', outcomeOf, 0);
    const run = await claim(made);
    await expect(work(run, made, device, 20)).rejects.toThrow(Interrupted);
    await made.link.handBack(run.id);
    const again = await claim(made);
    const decided = await work(again, made, device, 100, 40);
    expect(decided).toMatchObject({ winner: null, stop: 'budget' });
    expect(device.ran).toHaveLength(40);
    await made.link.decide(run.id, decided as TuningDecision);
    expect((await sweepOf(made.id)).status).toBe('done');
    // One of a problem measures its winner yet.
    const other = await tuning('Capped', { budgetSeconds: 3_600 });
    const found = await work(await claim(other), other, device, 100, 12);
    expect(found).toMatchObject({ winner: expect.stringContaining('transpose'), stop: 'budget' });
    await store.sweeps.cancel(other.id);
  });

  test.each([
    [{ suite: 'no-shapes' }, 'suite'],
    [{ dtype: 'f16' }, 'dtype'],
    [{ dtype: 'f16acc16' }, 'dtype'],
  ] as const)('is refused with %j at its field', async (over, field) => {
    const asked = tuning('Fields', { suite, dtype: 'f32', ...over } as Partial<NewTuning>);
    const error = await asked.catch((each: unknown) => each);
    expect(error).toBeInstanceOf(InputError);
    expect((error as InputError).field).toBe(field);
  });

  test('is refused at its suite where no shape fits', async () => {
    const { deviceKey } = await store.workers.attach({
      ...{ name: 'w', host: 'h', version: '0', identity: identity('Tiny') },
      capabilities: { ...capabilities, maxBufferSize: 1_000, maxStorageBufferBindingSize: 1_000 },
    });
    const asked = { device: deviceKey, suite, dtype: 'f32', profile: 'default' } as const;
    const refused = submitTuning({ store, queue }, asked, { name: 'tester' });
    await expect(refused).rejects.toMatchObject({ field: 'suite' });
  });
});
