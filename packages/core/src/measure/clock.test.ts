import { describe, expect, it } from 'vitest';
import { contradiction, regressAgain, regressClock } from './clock';

/** A device of 10 us per dispatch, 50 us per sample by its own clock and 300 us by the wall. */
const device = (clock: (ns: number) => number, noiseNs = 0, eachNs = 10e3) => {
  let turn = 0;
  return {
    sample: async ({ dispatches }: { dispatches: number }) => {
      const ns = dispatches * eachNs;
      const noise = noiseNs * Math.sin(turn++ * 2.3);
      return { ns: clock(50e3 + ns), wallNs: 300e3 + ns + noise };
    },
  };
};

describe('the regression of the clock', () => {
  it('gives the time of a dispatch without what a sample costs', async () => {
    const clock = await regressClock(
      device((ns) => ns),
      100,
      1e6,
    );
    expect(clock.dispatches).toEqual([100, 200, 400]);
    expect(clock.deviceNs).toBeCloseTo(10e3);
    expect(clock.wallNs).toBeCloseTo(10e3);
    expect(clock.deviceOverheadNs).toBeCloseTo(50e3);
    expect(clock.wallOverheadNs).toBeCloseTo(300e3);
    expect(contradiction(clock)).toBeNull();
  });

  it.each([0.1, 0.9, 1.06])('notices a clock that runs at %d of the rate', async (rate) => {
    const clock = await regressClock(
      device((ns) => rate * ns),
      100,
      1e6,
    );
    expect(contradiction(clock)).toContain(`gives ${rate.toFixed(2)} of the wall clock's`);
  });

  it('notices one that leaves part of the work out', async () => {
    const clock = await regressClock(
      device((ns) => Math.min(ns, 1e6)),
      100,
      1e6,
    );
    expect(contradiction(clock)).not.toBeNull();
  });

  it('takes longer samples where the wall clock is noisy', async () => {
    const clock = await regressClock(
      device((ns) => ns, 600e3),
      100,
      1e6,
    );
    expect(clock.dispatches[0]).toBeGreaterThan(100);
    expect(contradiction(clock)).toBeNull();
  });

  it.each([
    ['a short', 1e6, 10e3, 100],
    ['a long', 30e6, 30e6, 1],
    ['a slow', 2e9, 2e9, 1],
  ])(
    'measures %s one once more, in a longer pass, before it is refused',
    async (_, sampleNs, eachNs, dispatches) => {
      // The wall clock loses a tenth of what was beside it, until the pass is long enough.
      const longest =
        sampleNs > 1e9 ? 2 * sampleNs : sampleNs > 20e6 ? 4 * sampleNs : 200 * sampleNs;
      const late = {
        sample: async ({ dispatches: count }: { dispatches: number }) => {
          const ns = count * eachNs;
          return { ns, wallNs: ns >= longest ? ns : 1.1 * ns };
        },
      };
      expect(contradiction(await regressClock(late, dispatches, sampleNs))).toBeNull();
      const never = {
        sample: async ({ dispatches: count }: { dispatches: number }) => ({
          ns: count * eachNs,
          wallNs: 1.1 * count * eachNs,
        }),
      };
      expect(contradiction(await regressClock(never, dispatches, sampleNs))).toContain('0.91');
    },
  );

  it('compares a long sample with an empty one', async () => {
    const slow = device((ns) => 0.1 * ns, 0, 30e6);
    const clock = await regressClock(slow, 1, 30e6);
    expect(clock.dispatches).toEqual([0, 4]);
    expect(contradiction(clock)).toContain('0.10 of the wall');
  });

  it('is repeated once after the series, in passes twice as long, where it contradicts', async () => {
    const right = device((ns) => ns);
    const wrong = device((ns) => 0.9 * ns);
    const clock = await regressClock(wrong, 100, 1e6);
    const again = await regressAgain(right, clock);
    expect(again.dispatches).toEqual(clock.dispatches.map((dispatches) => 2 * dispatches));
    expect(contradiction(again)).toBeNull();
    expect(contradiction(await regressAgain(wrong, clock))).toContain('0.90');
    expect(await regressAgain(right, clock, 0.25e9)).toBe(clock);
    expect(await regressAgain(wrong, again)).toBe(again);
  });
});
