import { readdir, readFile } from 'node:fs/promises';
import { admitKernel, drawSeed, POLICIES, runDuel, runVariant } from '@tilemark/core';
import { bufferBytes, type Problem } from '@tilemark/kernels';
import { afterAll, describe, expect, it } from 'vitest';
import { chooseDevice, openDevice } from '../device/select';

const FOLDER = new URL('./adversaries/', import.meta.url);
const pool = { threads: 1, run: () => Promise.reject(new Error('none')), release: async () => {} };
const device = await openDevice(await chooseDevice('auto'), 'default', pool);
afterAll(() => device.executor.destroy());

const problem: Problem = { op: 'matmul', shape: { m: 64, n: 96, k: 512 }, dtype: 'f32' };
const { inputs, output } = bufferBytes(problem);
const surroundings = (seed: number) => ({
  deviceClass: device.identity.class,
  // Three sets of buffers cover it: eight there are.
  lastLevelCacheBytes: 1.5 * inputs.reduce((sum, bytes) => sum + bytes, output),
  nowNs: () => performance.now() * 1e6,
  seed,
});

/** Ranked but for its length. */
const policy = { ...POLICIES.default, maxWallNs: 1e9 };

async function admit(name: string) {
  const source = await readFile(new URL(name, FOLDER), 'utf8');
  const { kernel } = await admitKernel({ author: 'adversary', source });
  return { kernel: kernel.id, tunables: {} };
}

describe.each(await readdir(FOLDER))('%s', (name) => {
  it.each([drawSeed(), drawSeed()])('is incorrect or not ranked (seed %i)', async (seed) => {
    const { executor, capabilities } = device;
    const outcome = await runVariant(
      ...([executor, await admit(name), problem, policy, capabilities] as const),
      surroundings(seed),
    );
    if (outcome.kind === 'measured') {
      expect(outcome.measurement.unranked).toContain('it keeps results');
    } else {
      expect(outcome).toMatchObject({ kind: 'incorrect' });
    }
  });

  it('has no use for what it keeps in a duel with the loop that it has', async () => {
    const { executor, capabilities } = device;
    const variants = { a: await admit(name), b: { kernel: 'matmul/naive', tunables: {} } };
    const ended = await runDuel(
      executor,
      variants,
      problem,
      capabilities,
      surroundings(drawSeed()),
      {
        longestNs: 1e9,
      },
    );
    // Kept products take a fiftieth of the time, and how the two loops compare is another matter.
    if (ended.kind === 'dueled') expect(ended.duel.ratio).toBeLessThan(4);
    else expect(ended).toMatchObject({ side: 'a', outcome: { kind: 'incorrect' } });
  });
});
