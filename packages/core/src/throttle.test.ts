import type { Executor, Probe } from '@tilemark/kernels';
import { createHostExecutor } from '@tilemark/kernels';
import { describe, expect, it } from 'vitest';
import { Canary } from './throttle';

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
  const canary = await Canary.of(executor, async (ns) => {
    sleeps.push(ns);
  });
  if (!canary) throw new Error('the device has probes');
  return { canary, sleeps };
}

describe('a canary', () => {
  it('is not there where the device has no probes', async () => {
    expect(await Canary.of(createHostExecutor(), async () => {})).toBeNull();
  });

  it('takes the best of half a second of load as its measure, once woken', async () => {
    // 40 looks of 5 ms, then as many of 1 ms as fit the half second.
    let look = 0;
    const { canary } = await canaryOf(() => (look++ < 40 ? 5 : 1));
    await canary.wake();
    expect(look).toBeGreaterThan(40);
    look = 0;
    expect(await canary.isFarBehind()).toBe(true);
  });

  it('is not far behind at 19% slower than the best, and is at 21%', async () => {
    const looks = [1, 1.19, 1.21];
    const { canary } = await canaryOf(() => looks.shift() ?? 1);
    const seen = [];
    for (let i = 0; i < 3; i++) seen.push(await canary.isFarBehind());
    expect(seen).toEqual([false, false, true]);
  });

  it('tells 6% slower than the best from 4%', async () => {
    const looks = [1.02, 1, 1.04, 1.06];
    const { canary } = await canaryOf(() => looks.shift() ?? 1);
    const seen = [];
    for (let look = 0; look < 4; look++) seen.push(await canary.isThrottled());
    expect(seen).toEqual([false, false, false, true]);
  });

  it('waits 3 s while the device is over 20% slower, and goes on once it is not', async () => {
    const looks = [1, 1.3, 1.25, 1.1];
    const { canary, sleeps } = await canaryOf(() => looks.shift() ?? 1);
    await canary.isThrottled();
    await canary.coolDown();
    expect(sleeps).toEqual([3e9, 3e9]);
  });

  it('gives up waiting after three pauses', async () => {
    let look = 0;
    const { canary, sleeps } = await canaryOf(() => (look++ === 0 ? 1 : 2));
    await canary.isThrottled();
    await canary.coolDown();
    expect(sleeps).toHaveLength(3);
  });
});
