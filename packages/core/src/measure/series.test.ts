import { createHostExecutor, type Executor, type Prepared, type Sample } from '@tilemark/kernels';
import { describe, expect, it } from 'vitest';
import { POLICIES, type PolicyId } from './policy';
import { coldSeries, hotSeries, type Sampler, warmUpAndCalibrate } from './series';
import { Canary } from './throttle';

/** A device with its own clock, advanced by sampling and sleeping. */
function device(
  kernelNs: (nowNs: number) => number,
  slowness: (nowNs: number) => number = () => 1,
  newTurns = 10_000,
) {
  let nowNs = 0;
  const passed = (ns: number): Sample => {
    nowNs += ns;
    return { ns, wallNs: ns };
  };
  const prepared: Prepared = {
    bufferSets: 2,
    newTurns,
    parts: 1,
    lastSet: 0,
    compileNs: 0,
    uploadNs: null,
    fillNs: 0,
    poison: async () => {},
    refill: async () => {},
    verify: () => Promise.reject(new Error('not verified here')),
    beginJudged: () => Promise.reject(new Error('not verified here')),
    audit: async () => {},
    verifyRegimes: async () => [],
    sample: async ({ dispatches }) => passed(kernelNs(nowNs) * slowness(nowNs) * dispatches),
    beginFingerprint: () => Promise.reject(new Error('not verified here')),
    readOutput: () => Promise.reject(new Error('not read here')),
    destroy: () => {},
  };
  const executor: Executor = {
    ...createHostExecutor(),
    probe: async () => ({
      flops: 1,
      bytes: 0,
      sample: async (dispatches) => passed(1e4 * slowness(nowNs) * dispatches),
      destroy: () => {},
    }),
  };
  const sleep = async (ns: number) => {
    nowNs += ns;
  };
  const sampler = (canary: Canary | null): Sampler => ({
    prepared,
    policy: POLICIES.default,
    timer: { kind: 'timestamp', tickNs: 1 },
    nowNs: () => nowNs,
    canary,
  });
  return { sampler, canary: () => Canary.open(executor, sleep), now: () => nowNs };
}

describe('warmUpAndCalibrate', () => {
  it('lasts 0.5 s and ends with samples of 1 ms at the clocks reached', async () => {
    // The clocks rise to three times their idle rate after 0.2 s.
    const { sampler, now } = device((nowNs) => (nowNs < 0.2e9 ? 3e5 : 1e5));
    const { dispatches, samples } = await warmUpAndCalibrate(sampler(null));
    expect(now()).toBeGreaterThanOrEqual(0.5e9);
    expect(dispatches).toBeGreaterThanOrEqual(10);
    expect(dispatches).toBeLessThanOrEqual(16);
    expect(samples).toBeGreaterThanOrEqual(2);
  });
});

describe('a sample', () => {
  it.each([
    ['meets no pair of inputs twice', 4, 1, 4],
    ['is as long as the policy says where they suffice', 25, 1, 12],
    ['does where the timer does not resolve so few', 4, 10_000, 24],
  ])('%s', async (_what, newTurns, tickNs, expected) => {
    const { sampler } = device(
      () => 1e5,
      () => 1,
      newTurns,
    );
    const timed = { ...sampler(null), timer: { kind: 'timestamp', tickNs } as const };
    expect((await warmUpAndCalibrate(timed)).dispatches).toBe(expected);
  });
});

describe('warmUpAndCalibrate, watched by the canary', () => {
  /** When a warm-up ends, s, of a device that is as slow as said once its canary has been woken. */
  async function warmAt(id: PolicyId, slowness: (nowNs: number) => number): Promise<number> {
    const { sampler, canary, now } = device(() => 1e5, slowness);
    const look = await canary();
    await look?.wake();
    await warmUpAndCalibrate({ ...sampler(look), policy: POLICIES[id] });
    return now() / 1e9;
  }
  const between = (from: number, to: number) => (nowNs: number) =>
    nowNs >= from * 1e9 && nowNs < to * 1e9;
  const asleep = (is: (nowNs: number) => boolean) => (nowNs: number) => (is(nowNs) ? 5 : 1);

  it.each(['default', 'screen'] as const)('goes on until the clock is up (%s)', async (id) => {
    expect(await warmAt(id, asleep(between(0.5, 1.3)))).toBeCloseTo(1.3, 1);
  });

  it('ends after 2 s where the clock stays down', async () => {
    expect(await warmAt('screen', asleep(between(0.5, 100)))).toBeCloseTo(2.5, 1);
  });

  it('looks at nothing under a policy that does not warm up', async () => {
    expect(await warmAt('smoke', asleep(between(0.5, 100)))).toBeLessThan(0.55);
  });

  it('does not wait for a device that is only a little slower than at its best', async () => {
    expect(await warmAt('default', (nowNs) => (nowNs > 0.5e9 ? 1.1 : 1))).toBeCloseTo(1, 1);
  });

  it('is short under a quick policy, unless nothing watches the device', async () => {
    expect(await warmAt('screen', () => 1)).toBeLessThan(0.55);
    const { sampler, now } = device(() => 1e5);
    await warmUpAndCalibrate({ ...sampler(null), policy: POLICIES.screen });
    expect(now() / 1e9).toBeCloseTo(0.15, 1);
  });
});

describe('coldSeries', () => {
  it('gives times per dispatch and discards nothing on a steady device', async () => {
    const { sampler, canary } = device(() => 1e5);
    const { series, stop, discarded } = await coldSeries(sampler(await canary()), 20);
    expect(stop).toBe('converged');
    expect(series.medianNs).toBeCloseTo(1e5, 6);
    expect(discarded).toEqual([]);
  });

  it('discards what was sampled while the device was slow, and counts it', async () => {
    const slow = (nowNs: number) => (nowNs > 0.65e9 && nowNs < 0.85e9 ? 1.1 : 1);
    const { sampler, canary } = device(() => 1e5, slow);
    const look = await canary();
    await look?.wake();
    const { series, stop, discarded } = await coldSeries(sampler(look), 20);
    expect(stop).toBe('converged');
    // Batches that only ended slow were slow in part, and go whole.
    expect(series.medianNs).toBeCloseTo(1e5, 6);
    expect(discarded).toEqual([
      { count: expect.any(Number), why: expect.stringMatching(/slowed down/) },
    ]);
  });

  it('keeps everything of a device that never recovers, and says throttled', async () => {
    const { sampler, canary } = device(
      () => 1e5,
      (nowNs) => (nowNs > 0.55e9 ? 1.15 : 1),
    );
    const look = await canary();
    await look?.wake();
    const { series, stop, discarded } = await coldSeries(sampler(look), 20);
    expect(stop).toBe('throttled');
    expect(series.n).toBeGreaterThan(100);
    expect(discarded).toEqual([]);
  });
});

describe('hotSeries', () => {
  it('is as short as the policy allows, however noisy', async () => {
    const { sampler } = device((nowNs) => (Math.floor(nowNs / 2e6) % 2 ? 1e5 : 2e5));
    const { n } = await hotSeries(sampler(null), 20);
    expect(n * 20 * 2e5).toBeLessThan(1e9);
  });
});
