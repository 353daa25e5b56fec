import type { Executor, Probe } from '@tilemark/kernels';
import { createHostExecutor } from '@tilemark/kernels';
import { describe, expect, it } from 'vitest';
import { Canary, PaceWatch } from './throttle';

/** A device whose canary takes a given time at each look, in units of its best. */
async function canaryOf(slowness: () => number) {
  const sleeps: number[] = [];
  const probe: Probe = {
    flops: 1,
    bytes: 0,
    sample: async (dispatches) => {
      const ns = 1e6 * slowness() * dispatches;
      return { ns, wallNs: ns };
    },
    destroy: () => {},
  };
  const executor: Executor = { ...createHostExecutor(), probe: async () => probe };
  const canary = await Canary.open(executor, async (ns) => {
    sleeps.push(ns);
  });
  if (!canary) throw new Error('the device has probes');
  return { canary, sleeps };
}

describe('a canary', () => {
  it('is not there where the device has no probes', async () => {
    expect(await Canary.open(createHostExecutor(), async () => {})).toBeNull();
  });

  it('takes half a second of load as its measure, once woken', async () => {
    // 40 looks of 5 ms, then as many of 1 ms as fit the half second.
    let look = 0;
    const { canary } = await canaryOf(() => (look++ < 40 ? 5 : 1));
    await canary.wake();
    expect(look).toBeGreaterThan(140);
    look = 0;
    expect(await canary.isFarBehind()).toBe(true);
  });

  /** What a woken canary says of looks of so many times its usual length. */
  async function slowness(looks: readonly number[], before: readonly number[] = [1]) {
    let at = 0;
    const { canary } = await canaryOf(() => before[at++ % before.length] ?? 1);
    await canary.wake();
    const queue = [...looks];
    const watched = await canaryOf(() => queue.shift() ?? 1);
    // The same history, then the looks: a probe cannot be exchanged.
    const history = Array.from({ length: 128 }, (_, i) => before[i % before.length] ?? 1);
    queue.unshift(...history);
    for (const _ of history) await watched.canary.check();
    const seen: boolean[] = [];
    for (const _ of looks) seen.push((await watched.canary.check()).isSlow);
    return seen;
  }

  it('sees a loss of 4.5%, and goes on seeing it for 64 looks', async () => {
    const seen = await slowness(Array(100).fill(1.045));
    expect(seen.slice(0, 60).every(Boolean)).toBe(true);
    expect(seen.slice(70).some(Boolean)).toBe(false);
  });

  it('does not mistake its own noise of 2%, or a boost at the start, for a slower device', async () => {
    const noisy = [0.98, 1, 1.02, 0.99, 1.01];
    expect(await slowness([1.02, 1.03, 0.98, 1.02], noisy)).toEqual(Array(4).fill(false));
    const boosted = [...Array(20).fill(0.9), ...Array(108).fill(1)];
    expect(await slowness([1, 1.01, 1], boosted)).toEqual(Array(3).fill(false));
  });

  it('is not far behind at 19% slower than usual, and is at 21%', async () => {
    const looks = [1, 1, 1, 1.19, 1.21];
    const { canary } = await canaryOf(() => looks.shift() ?? 1);
    const seen = [];
    for (let i = 0; i < 3; i++) await canary.check();
    for (let i = 0; i < 2; i++) seen.push(await canary.isFarBehind());
    expect(seen).toEqual([false, true]);
  });

  it('waits 3 s while the device is over 20% slower, and goes on once it is not', async () => {
    const looks = [1, 1, 1, 1.3, 1.25, 1.1];
    const { canary, sleeps } = await canaryOf(() => looks.shift() ?? 1);
    for (let look = 0; look < 3; look++) await canary.check();
    await canary.coolDown();
    expect(sleeps).toEqual([3e9, 3e9]);
  });

  it('gives up waiting after three pauses', async () => {
    let look = 0;
    const { canary, sleeps } = await canaryOf(() => (look++ < 20 ? 1 : 2));
    for (let i = 0; i < 20; i++) await canary.check();
    await canary.coolDown();
    expect(sleeps).toHaveLength(3);
  });
});

describe('a watch on the pace of a series', () => {
  it('goes by the clock and the reasons of the driver where they can be read', async () => {
    const { canary } = await canaryOf(() => 1);
    const readings = [
      { smMHz: 1980, limitedBy: [] },
      { smMHz: 1980, limitedBy: ['power cap'] },
      { smMHz: 1890, limitedBy: [] },
      { smMHz: 1980, limitedBy: ['hardware thermal slowdown'] },
    ];
    const watch = new PaceWatch(canary, () => readings.shift() ?? null);
    const seen = [];
    for (let batch = 0; batch < 5; batch++) seen.push(await watch.batch(7));
    expect(seen.map(({ isSlow }) => isSlow)).toEqual([false, false, true, true, false]);
    expect(seen[2]).toMatchObject({ samples: 7, smMHz: 1890, canaryNs: 1e6 });
    expect(seen[4]).not.toHaveProperty('smMHz');
  });
});
