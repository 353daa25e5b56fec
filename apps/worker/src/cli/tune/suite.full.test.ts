import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  candidatesFor,
  deviceKey,
  evidenceSchema,
  type Family,
  questionSchema,
} from '@tilemark/core';
import { DirectLink, openQueue, openStore, submitTuning } from '@tilemark/core/server';
import { feasible, parseProblem, parseVariant, shapeText } from '@tilemark/kernels';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testDatabase, testRedisUrl } from '../../../../../packages/core/services.test-helper';
import { searchClaimed } from '../../../../../packages/core/src/worker/claimed-search';
import { useBundle } from '../../bundle.test-helper';
import { Runner } from '../../child/runner';
import { tuneSuite } from './suite';

// On the machine's first GPU, in CI the software one.

const bundle = useBundle();
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tilemark-suite-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A shape of few candidates: each is compiled, and timed for a moment. */
const family: Family = {
  id: 'tiny',
  title: 'Tiny',
  about: '',
  op: 'matmul',
  shapes: [{ m: 17, n: 1, k: 65 }],
};
const tiny = parseProblem({ op: 'transpose', shape: '64x48', dtype: 'f32' });

describe('a family, tuned on a device', () => {
  it('is screened and duels by the command line, which continues its file', async () => {
    const save = join(folder, 'evidence.json');
    const printed: string[] = [];
    const request = { suite: family, dtype: 'f32', profile: 'default', device: '0', save } as const;
    const tuned = (budget: number) =>
      tuneSuite({ ...request, budget }, bundle.child, (text) => printed.push(text));
    const read = async () => evidenceSchema.parse(JSON.parse(await readFile(save, 'utf8')));
    expect(await tuned(600e9)).toBe(0);
    const whole = await read();
    expect(whole.shapes.map(({ shape }) => shape)).toEqual(['17x1x65']);
    expect(printed.at(-1)).toMatch(/^1 of 1 shapes measured .* 0 known before, 0 skipped/);

    // As if screening had found the two fastest close together and the time had ended then.
    const shapes = whole.shapes.map(({ shape, times: [first, second] }) => {
      const [[a = 0] = [], [b = 0] = []] = [first, second];
      return { shape, times: [[a, 1_000] as const, [b, 1_001] as const] };
    });
    await writeFile(save, JSON.stringify({ ...whole, shapes }));
    printed.length = 0;
    expect(await tuned(600e9)).toBe(0);
    expect(printed.at(-1)).toMatch(/^0 of 0 shapes measured .* 1 known before.* 1 duels/);
    expect(printed.filter((line) => /: duel: .* (as fast|faster|slower)/.test(line))).toHaveLength(
      1,
    );
    for (const { final } of (await read()).shapes) {
      expect(final?.ratio).toBeGreaterThan(0);
      expect(final?.low).toBeLessThanOrEqual(final?.high ?? 0);
    }
  });

  it('is screened and duels as a job of a grid, whose selector then answers for it', async () => {
    const databaseUrl = await testDatabase();
    const store = openStore(databaseUrl);
    const prefix = `test-${randomUUID()}`;
    const queue = openQueue({ redisUrl: testRedisUrl(), databaseUrl, prefix });
    const runner = new Runner({ entry: bundle.child, device: '0' });
    try {
      const { capabilities, identity } = await runner.open('default');
      // One shape of the family fits, 32768 x 4, its smallest; and of its candidates the smaller.
      const small = {
        maxStorageBufferBindingSize: 570_000,
        maxComputeInvocationsPerWorkgroup: 128,
        maxComputeWorkgroupStorageSize: 4_096,
      };
      const { workerId } = await store.workers.attach({
        name: 'w',
        host: 'h',
        version: '0',
        identity,
        capabilities: { ...capabilities, ...small },
      });
      const key = deviceKey(identity);
      const asked = { device: key, suite: 'transpose-shapes', profile: 'default' } as const;
      const { id } = await submitTuning({ store, queue }, asked, { name: 'tester' });
      const link = new DirectLink({ store, queue }, { workerId, deviceKey: key });
      const run = await link.next(AbortSignal.timeout(5_000));
      if (!run?.search) throw new Error('There is no search.');
      const shrunk = { ...capabilities, ...small };
      const device: Parameters<typeof searchClaimed>[1]['runner'] = {
        ...{ close: () => runner.close() },
        open: async (profile) => ({ ...(await runner.open(profile)), capabilities: shrunk }),
        run: async (input, options) => {
          const fit = feasible(input.variant, input.problem, shrunk);
          if (fit.ok) return runner.run(input, options);
          const { environment } = await runner.open('default');
          return { outcome: { kind: 'skipped', why: fit.why }, environment, wgsl: null };
        },
      };
      const found = await searchClaimed(
        { ...run, search: run.search },
        { runner: device, alone: (work) => work() },
        { clockAheadMs: 0, workerId },
        {
          signal: new AbortController().signal,
          isOver: () => false,
          keep: (_, record) => link.outcome(record),
        },
      );
      if (!('stop' in found)) throw new Error(JSON.stringify(found.outcome));
      await link.decide(run.id, found);
      const { counts, status, tuning } = (await store.sweeps.get(id)) ?? {};
      expect(status).toBe('done');
      expect(tuning).toMatchObject({ decision: { stop: 'exhausted', shapes: 1 } });
      expect([counts?.failed, counts?.incorrect, counts?.pending]).toEqual([0, 0, 0]);
      const shown = await store.sweeps.runs(id, 1_000);
      const measured = shown.filter(({ kind }) => kind === 'measured');
      expect(new Set(measured.map(({ problem }) => shapeText(problem)))).toEqual(
        new Set(['32768x4']),
      );
      expect(measured.length).toBeGreaterThan(1);
      const question = questionSchema.parse({ op: 'transpose', shapes: '32768x4', gpu: key });
      const [{ best } = {}] = await store.best(question);
      expect(best).toMatchObject({ basis: 'device', quote: { source: 'searched' } });
      expect(measured.map(({ address }) => address)).toContain(best?.address);
    } finally {
      await runner.close();
      await queue.close();
      await store.close();
    }
  });

  it('has duels of a second, beside which its variant is screened alone', async () => {
    const runner = new Runner({ entry: bundle.child, device: '0' });
    try {
      const [a, b] = candidatesFor(tiny);
      if (!a || !b) throw new Error('there are no candidates');
      const { outcome } = await runner.run({
        variant: a,
        problem: tiny,
        profile: 'default',
        policy: 'screen',
        seed: 7,
        rival: { variant: b },
      });
      if (outcome.kind !== 'measured') throw new Error(JSON.stringify(outcome));
      const { duel, policy } = outcome.measurement;
      expect(policy).toBe('screen');
      expect(duel?.against).toBe(parseVariant(b.address).address);
      expect(duel?.duel?.ratio, duel?.why ?? '').toBeGreaterThan(0);
    } finally {
      await runner.close();
    }
  });
});
