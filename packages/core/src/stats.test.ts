import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { medianIntervalRank, summarise } from './stats';

/** Mulberry32: a seeded source, so that coverage is the same number on every run. */
function uniform(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

const samples = fc.array(fc.double({ min: 1e-3, max: 1e12, noNaN: true }), {
  minLength: 1,
  maxLength: 200,
});

describe('summarise', () => {
  it('gives the textbook order statistics', () => {
    const series = summarise([9, 1, 8, 2, 7, 3, 6, 4, 5]);
    expect(series).toMatchObject({
      n: 9,
      medianNs: 5,
      lowNs: 2,
      highNs: 8,
      minNs: 1,
      q1Ns: 3,
      q3Ns: 7,
    });
    expect(series.cv).toBeCloseTo(Math.sqrt(7.5) / 5, 12);
  });

  it('keeps the samples in the order taken', () => {
    expect(summarise([3, 1, 2]).samplesNs).toEqual([3, 1, 2]);
  });

  it('orders min <= q1 <= median <= q3 and low <= median <= high for any samples', async () => {
    await fc.assert(
      fc.property(samples, (values) => {
        const s = summarise(values);
        expect(s.minNs).toBeLessThanOrEqual(s.q1Ns);
        expect(s.q1Ns).toBeLessThanOrEqual(s.medianNs);
        expect(s.medianNs).toBeLessThanOrEqual(s.q3Ns);
        expect(s.lowNs).toBeLessThanOrEqual(s.medianNs);
        expect(s.medianNs).toBeLessThanOrEqual(s.highNs);
      }),
    );
  });

  it('does not depend on the order of the samples', async () => {
    await fc.assert(
      fc.property(samples, (values) => {
        const { samplesNs: _a, cv: _b, ...forward } = summarise(values);
        const { samplesNs: _c, cv: _d, ...backward } = summarise([...values].reverse());
        expect(backward).toEqual(forward);
      }),
    );
  });

  it('refuses no samples', () => {
    expect(() => summarise([])).toThrow(RangeError);
  });
});

describe('the interval of the median', () => {
  it.each([
    [5, 0],
    [6, 0],
    [8, 0],
    [9, 1],
    [20, 5],
    [100, 39],
    [2000, 955],
  ])('of %i values leaves out %i at each end', (n, rank) => {
    expect(medianIntervalRank(n)).toBe(rank);
  });

  /** The long right tail of timings; its true median is exp(0) = 1. */
  const logNormal = (next: () => number) =>
    Math.exp(0.3 * Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next()));

  it.each([10, 31, 64, 200])('holds the true median about 95 times in 100 (n = %i)', (n) => {
    const next = uniform(n);
    const trials = 4000;
    let held = 0;
    for (let trial = 0; trial < trials; trial++) {
      const { lowNs, highNs } = summarise(Array.from({ length: n }, () => logNormal(next)));
      if (lowNs <= 1 && 1 <= highNs) held++;
    }
    // At least 95%, less three standard errors; ranks are whole, so it can be up to 98%.
    expect(held / trials).toBeGreaterThan(0.95 - 3 * Math.sqrt((0.95 * 0.05) / trials));
    expect(held / trials).toBeLessThan(0.985);
  });
});
