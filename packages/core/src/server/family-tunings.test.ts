import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { createClient } from '@tilemark/db';
import { InputError, parseProblem, resolveVariant, shapeText, specialise } from '@tilemark/kernels';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testDatabase, testRedisUrl } from '../../services.test-helper';
import type { ClaimedRun } from '../link/wire';
import type { Outcome } from '../measure/outcome';
import { FAMILIES } from '../plan/families';
import { specSchema } from '../plan/spec';
import { summarise } from '../statistics/summary';
import { familyTuningSchema, tunedShapeSchema } from '../view/api';
import { DirectLink } from './direct-link';
import { openQueue, type Queue } from './queue/queue';
import { reconcile } from './reconcile';
import {
  capabilities,
  environment,
  failed,
  identity,
  measured,
  planned,
  recordAll,
} from './store/fixtures.test-helper';
import { openStore, type Store } from './store/store';
import { submitTuning } from './tunings';

let store: Store;
let queue: Queue;
let databaseUrl: string;
beforeAll(async () => {
  databaseUrl = await testDatabase();
  store = openStore(databaseUrl);
  queue = openQueue({ redisUrl: testRedisUrl(), databaseUrl, prefix: `test-${randomUUID()}` });
});
afterAll(async () => {
  await queue.close();
  await store.close();
});

const suite = 'transpose-shapes';
const family = FAMILIES.find(({ id }) => id === suite);

const baseOf = (address: string) =>
  10 + (address.includes('rows-first') ? 0.04 : 0) + (address.includes('THREADS_Y=8') ? 0.06 : 0);

/** A time with one least over the numbers of an address, ns; the two fastest are within 1%. */
const costOf = (address: string): number =>
  1e6 *
  [...address.matchAll(/=(\d+)/g)].reduce(
    (sum, [, number]) => sum + Math.abs(Math.log2(Number(number) / 32)),
    address.includes('swizzled') ? baseOf(address) : 15,
  );

const addressOf = ({ kernel, tunables }: ClaimedRun['variant']) =>
  resolveVariant(kernel, tunables).address;

/** In a duel the other wins, whatever the separate times say. */
const outcomeOf = ({ policy, rival, variant }: ClaimedRun): Outcome => {
  const address = addressOf(variant);
  // Measured again beside a duel, it seems slower than a third.
  const ns = (rival ? 1.2 : 1) * costOf(address);
  const outcome = measured(ns, { policy, samples: 7 });
  if (!rival || outcome.kind !== 'measured') return outcome;
  const against = addressOf(rival.variant);
  const side = (ns: number) => ({
    ...summarise(Array.from({ length: 16 }, () => ns)),
    implausible: null,
  });
  const ratio = { verdict: 'SLOW', ratio: 0.98, low: 0.979, high: 0.981, wouldTake: 1 } as const;
  const sides = { a: side(1.02 * costOf(against)), b: side(costOf(against)) };
  const duel = { ...ratio, rounds: 8, stop: 'converged', ...sides } as const;
  return {
    ...outcome,
    measurement: { ...outcome.measurement, duel: { against, duel, why: null } },
  };
};

/** A device with room for small matrices only, and the tuning of a family on it. */
async function tuning(device: string, budgetSeconds: number) {
  const attach = () =>
    store.workers.attach({
      name: device,
      host: 'h',
      version: '0',
      identity: identity(device),
      capabilities: { ...capabilities, maxStorageBufferBindingSize: 2 ** 27 },
    });
  const { deviceKey } = await attach();
  const made = await submitTuning(
    { store, queue },
    { device: deviceKey, suite, dtype: 'f32', profile: 'default', budgetSeconds },
    { name: 'tester' },
  );
  const worker = async () => {
    const { workerId } = await attach();
    const link = new DirectLink({ store, queue }, { workerId, deviceKey });
    const next = async () => (await link.next(AbortSignal.timeout(60_000))) ?? null;
    const recordOf = (run: ClaimedRun, outcome: Outcome) => {
      const { definition, tunables } = resolveVariant(run.variant.kernel, run.variant.tunables);
      return {
        runId: run.id,
        workerId,
        outcome,
        endedAt: new Date().toISOString(),
        environment: environment(device),
        wgsl:
          definition.runsOn === 'gpu' ? specialise(definition, tunables, run.problem.dtype) : null,
      };
    };
    const end = (run: ClaimedRun, outcome = outcomeOf(run)) => link.outcome(recordOf(run, outcome));
    return { next, end, link, recordOf };
  };
  return { ...made, deviceKey, worker };
}

const sweepOf = async (id: string) => {
  const sweep = await store.sweeps.get(id);
  if (!sweep?.tuning || !('suite' in sweep.tuning)) throw new Error('There is no such tuning.');
  return { ...sweep, tuning: familyTuningSchema.parse(sweep.tuning) };
};
const shapesOf = async (id: string) =>
  tunedShapeSchema.array().parse(await store.tunings.shapes(id));

describe('the tuning of a family', () => {
  test('searches shape after shape, survives what stops it, ends with duels, and teaches the selector', async () => {
    const made = await tuning('Kin', 100);
    const before = await sweepOf(made.id);
    expect(before.name).toBe('Tune transpose-shapes f32 on Kin');
    expect(specSchema.safeParse(before.spec).success).toBe(true);
    expect(before.tuning).toMatchObject({ phase: 'screening', tried: 0, leftSeconds: null });
    // What does not fit is named, and the rest is searched.
    const skipped = (await shapesOf(made.id)).filter(({ state }) => state === 'skipped');
    expect(skipped.map(({ shape }) => shape)).toContain('8192');
    expect(skipped[0]?.why).toMatch(/128 MiB/);
    expect(before.tuning.skipped).toHaveLength(skipped.length);
    expect(before.tuning.shapes.total).toBe(family?.shapes.length);

    // A kernel that is no candidate was ranked there, on a shape far from those of the family.
    const vec4 = { kernel: 'transpose/vec4', tunables: {} };
    const attached = await store.workers.list();
    await recordAll(store, made.deviceKey, attached[0]?.id ?? '', [
      [
        planned(made.deviceKey, {
          variant: vec4,
          address: resolveVariant(vec4.kernel, {}).address,
          problem: parseProblem({ op: 'transpose', shape: '128', dtype: 'f32' }),
        }),
        measured(1e5),
      ],
    ]);
    const ask = {
      op: 'transpose',
      dtype: 'f32',
      profile: 'default',
      device: made.deviceKey,
    } as const;
    const other = () => store.best({ ...ask, rows: 1000, cols: 3000 });
    expect(await other()).toMatchObject({ variant: { kernel: vec4.kernel }, isExact: false });

    let worker = await made.worker();
    let ended = 0;
    let running: string[] = [];
    for (;;) {
      const sweep = await sweepOf(made.id);
      if (sweep.status === 'done') break;
      const run = await worker.next();
      if (!run) continue;
      if (++ended === 20) {
        // The worker restarts in the midst of a run.
        await worker.link.handBack(run.id);
        running = sweep.tuning.shapes.running;
        worker = await made.worker();
        continue;
      }
      const outcome = addressOf(run.variant).includes('THREADS=512') ? failed : outcomeOf(run);
      // The site dies before it could go on.
      if (ended === 60) await store.runs.record(worker.recordOf(run, outcome));
      else await worker.end(run, outcome);
      if (ended === 60) await reconcile({ store, queue });
    }
    expect(running.length).toBeGreaterThan(0);
    expect(ended).toBeGreaterThan(60);

    const { counts, tuning: after } = await sweepOf(made.id);
    expect(after).toMatchObject({ phase: 'done', leftSeconds: 0, decision: { stop: 'budget' } });
    expect(counts.pending).toBe(0);
    expect(after.usedSeconds).toBeGreaterThan(85);
    expect(after.decision?.searched).toBeGreaterThanOrEqual(2);
    expect(after.decision?.duels).toBeGreaterThanOrEqual(1);

    const shapes = await shapesOf(made.id);
    const done = shapes.filter(({ state }) => state === 'done');
    expect(done).toHaveLength(after.decision?.searched ?? -1);
    expect(shapes.some(({ state }) => state === 'missed')).toBe(true);
    expect(shapes).toHaveLength(family?.shapes.length ?? -1);
    const [shown] = done.filter(({ duel }) => duel !== null);
    if (!shown?.duel || !shown.best) throw new Error('No shape had a duel.');
    // Whoever won in turns is the best, though the other's own time was shorter.
    expect(shown.best.address).toBe(shown.duel.b);
    expect(costOf(shown.duel.a)).toBeLessThan(costOf(shown.duel.b));

    const [rows = 0, cols = rows] = shown.shape.split('x').map(Number);
    const same = await store.best({ ...ask, rows, cols });
    expect(same).toMatchObject({ address: shown.best.address, prediction: { basis: 'measured' } });
    expect(await other()).toMatchObject({ fallback: 'device', prediction: { basis: 'predicted' } });
  });

  test('ends within its first shape when its time is used up, and keeps what it found', async () => {
    const made = await tuning('Slow', 10);
    const before = await sweepOf(made.id);
    expect(before.tuning.shapes).toMatchObject({ done: 0, running: [] });
    expect(before.counts.pending).toBeGreaterThan(40);
    expect((await shapesOf(made.id)).some(({ state }) => state === 'running')).toBe(false);
    const worker = await made.worker();
    let ended = 0;
    let noisy = '';
    const inDoubt = (outcome: Outcome): Outcome => {
      if (outcome.kind !== 'measured') throw new Error('not measured');
      const { measurement } = outcome;
      const cold = summarise([1e6, 1e6, 1e6, 1e6, 1e9, 1e9, 1e9]);
      return { ...outcome, measurement: { ...measurement, cold } };
    };
    for (;;) {
      const { status, tuning: now } = await sweepOf(made.id);
      if (status === 'done') break;
      const run = await worker.next();
      if (!run) continue;
      if (ended === 5) expect(now.shapes.running).toHaveLength(1);
      // The third has the shortest median by far, which the rest of its samples belie.
      if (ended === 2) noisy = addressOf(run.variant);
      await worker.end(run, ended === 2 ? inDoubt(outcomeOf(run)) : outcomeOf(run));
      ended++;
    }
    const { counts, tuning: after } = await sweepOf(made.id);
    // Each counts for half a second at least, and screening may take 8.5.
    expect(ended).toBeLessThanOrEqual(18);
    expect(counts).toMatchObject({ pending: 0, measured: ended });
    expect(after.decision).toMatchObject({ stop: 'budget', searched: 0, screened: ended });
    const [first] = (await shapesOf(made.id)).filter(({ tried }) => tried > 0);
    expect(first).toMatchObject({ state: 'missed', tried: ended });
    expect(first?.best).toMatchObject({ policy: 'screen', samples: 7 });
    expect(first?.best?.highNs).toBeGreaterThanOrEqual(first?.best?.medianNs ?? Infinity);
    expect(first?.best?.address).not.toBe(noisy);
  });

  test('has each candidate of a shape once, and ends when it is cancelled', async () => {
    const made = await tuning('Twice', 3_600);
    const worker = await made.worker();
    for (let at = 0; at < 100; at++) {
      const run = await worker.next();
      if (run) await worker.end(run);
    }
    const items = await store.sweeps.runs(made.id, 1_000);
    const keys = items.map(({ address, problem }) => `${shapeText(problem)} ${address}`);
    expect(new Set(keys).size).toBe(keys.length);
    expect(await store.sweeps.cancel(made.id)).toMatchObject({ status: 'cancelled' });
    expect(await reconcile({ store, queue })).toMatchObject({ advanced: 0 });
    const states = new Set((await shapesOf(made.id)).map(({ state }) => state));
    expect(states).toEqual(new Set(['done', 'missed', 'skipped']));
    // The shape in the midst of which it was cancelled was not searched.
    const cut = items.findLast(({ kind }) => kind === 'measured');
    expect(
      items.some(
        ({ kind, problem }) => kind === 'pending' && isDeepStrictEqual(problem, cut?.problem),
      ),
    ).toBe(true);
    const begun = (await shapesOf(made.id)).filter(({ tried }) => tried > 0);
    expect(begun.filter(({ state }) => state === 'missed')).toEqual([
      expect.objectContaining({ shape: cut && shapeText(cut.problem) }),
    ]);
    expect((await sweepOf(made.id)).tuning.shapes.done).toBe(begun.length - 1);
  });

  test('counts the shapes that it was asked for, though the family has grown since', async () => {
    const made = await tuning('Grown', 3_600);
    const { spec, tuning: asked } = await sweepOf(made.id);
    const skipped = new Set(asked.skipped.map(({ shape }) => shape));
    const added = (family?.shapes ?? [])
      .filter((shape) => !skipped.has(shapeText({ op: 'transpose', shape })))
      .slice(-5);
    const before = spec.cases.map((each) => ({
      ...each,
      shapes: each.shapes.filter((shape) => !added.some((of) => isDeepStrictEqual(of, shape))),
    }));
    const db = createClient(databaseUrl);
    await db.sweep.update({
      where: { id: made.id },
      data: { spec: { ...spec, cases: before } },
    });
    await db.$disconnect();
    await store.sweeps.cancel(made.id);
    const count = (family?.shapes.length ?? 0) - 5;
    expect((await sweepOf(made.id)).tuning.shapes.total).toBe(count);
    expect(await shapesOf(made.id)).toHaveLength(count);
  });

  test.each([
    [{ suite: 'no-shapes' }, 'suite'],
    [{ dtype: 'f16' }, 'dtype'],
    [{ dtype: 'f16acc16' }, 'dtype'],
  ] as const)('is refused with %j at its field', async (over, field) => {
    const { deviceKey } = await store.workers.attach({
      name: 'w',
      host: 'h',
      version: '0',
      identity: identity('Fields'),
      capabilities,
    });
    const body = { device: deviceKey, suite, dtype: 'f32', profile: 'default', ...over };
    const asked = submitTuning({ store, queue }, body as Parameters<typeof submitTuning>[1], {
      name: 'tester',
    });
    const error = await asked.catch((each: unknown) => each);
    expect(error).toBeInstanceOf(InputError);
    expect((error as InputError).field).toBe(field);
  });

  test('is refused at its suite where no shape fits', async () => {
    const { deviceKey } = await store.workers.attach({
      name: 'w',
      host: 'h',
      version: '0',
      identity: identity('Tiny'),
      capabilities: { ...capabilities, maxBufferSize: 1_000, maxStorageBufferBindingSize: 1_000 },
    });
    const asked = submitTuning(
      { store, queue },
      { device: deviceKey, suite, dtype: 'f32', profile: 'default' },
      { name: 'tester' },
    );
    await expect(asked).rejects.toMatchObject({ field: 'suite' });
  });

  test.each(FAMILIES.map(({ id }) => id))(
    '%s is a sweep that the schema of a sweep takes',
    async (id) => {
      const { deviceKey } = await store.workers.attach({
        name: 'w',
        host: 'h',
        version: '0',
        identity: identity('Every'),
        capabilities,
      });
      const body = { device: deviceKey, suite: id, dtype: 'f32', profile: 'fast' } as const;
      const made = await submitTuning({ store, queue }, body, { name: 'tester' });
      expect(specSchema.safeParse((await sweepOf(made.id)).spec).success).toBe(true);
      await store.sweeps.cancel(made.id);
    },
  );
});
