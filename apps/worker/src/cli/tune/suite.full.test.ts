import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { candidatesFor, deviceKey, evidenceSchema, type Family } from '@tilemark/core';
import { DirectLink, openQueue, openStore, submitTuning } from '@tilemark/core/server';
import { parseProblem, parseVariant } from '@tilemark/kernels';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testDatabase, testRedisUrl } from '../../../../../packages/core/services.test-helper';
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
      for (;;) {
        const sweep = await store.sweeps.get(id);
        if (sweep?.status === 'done') break;
        const run = await link.next(AbortSignal.timeout(5_000));
        if (!run) continue;
        const beganAt = new Date().toISOString();
        const report = await runner.run(run);
        const endedAt = new Date().toISOString();
        await link.outcome({ runId: run.id, workerId, ...report, beganAt, endedAt });
      }
      const { counts, tuning } = (await store.sweeps.get(id)) ?? {};
      expect(tuning).toMatchObject({ phase: 'done', decision: { stop: 'exhausted', searched: 1 } });
      expect([counts?.failed, counts?.incorrect]).toEqual([0, 0]);
      const shapes = (await store.tunings.shapes(id)) ?? [];
      const [shape, ...others] = shapes.filter(({ state }) => state === 'done');
      expect(others).toEqual([]);
      expect(shape?.shape).toBe('32768x4');
      expect(shapes.filter(({ state }) => state === 'skipped')).toHaveLength(shapes.length - 1);
      const best = await store.best({
        ...{
          op: 'transpose',
          dtype: 'f32',
          profile: 'default',
          device: key,
          rows: 32_768,
          cols: 4,
        },
      });
      expect(best).toMatchObject({ fallback: 'device', prediction: { basis: 'measured' } });
      // Which of two as good as equal, their next times say.
      const { items } = await store.sweeps.results(id);
      expect(items.map(({ address }) => address)).toEqual(
        expect.arrayContaining([best?.address, shape?.best?.address]),
      );
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
