import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { summarise } from './summary';

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

/** The long right tail of timings; its true median is exp(0) = 1. */
const logNormal = (next: () => number) =>
  Math.exp(0.3 * Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next()));

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
      // t(4.5) = 2.65 times sqrt(0.7 * 9) / 2, as each undoes the one before: 3.33 ranks to either side.
      lowNs: expect.closeTo(1.668, 3),
      highNs: expect.closeTo(8.332, 3),
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

  it('depends on the order of the samples in its interval alone', async () => {
    await fc.assert(
      fc.property(samples, (values) => {
        const { medianNs, minNs, n, q1Ns, q3Ns } = summarise(values);
        const sorted = summarise(values.toSorted((a, b) => a - b));
        expect(sorted).toMatchObject({ medianNs, minNs, n, q1Ns, q3Ns });
      }),
    );
  });

  it('pays for samples that depend on those before', () => {
    const next = uniform(1);
    const noise = Array.from({ length: 1000 }, () => logNormal(next));
    const alone = summarise(noise);
    // Each sample ten times: no more is known than from a tenth of them.
    const repeated = summarise(noise.slice(0, 100).flatMap((ns) => Array(10).fill(ns)));
    expect(alone.independent).toBeGreaterThan(700);
    expect(repeated.independent).toBeLessThan(120);
    const width = ({ lowNs, highNs }: typeof alone) => highNs - lowNs;
    expect(width(repeated)).toBeGreaterThan(2.5 * width(alone));
  });

  it('refuses no samples', () => {
    expect(() => summarise([])).toThrow(RangeError);
  });
});

describe('the interval of the median', () => {
  it.each([10, 31, 64, 200])('contains the true median about 95 times in 100 (n = %i)', (n) => {
    const next = uniform(n);
    const trials = 4000;
    let held = 0;
    for (let trial = 0; trial < trials; trial++) {
      const { lowNs, highNs } = summarise(Array.from({ length: n }, () => logNormal(next)));
      if (lowNs <= 1 && 1 <= highNs) held++;
    }
    // At least 95%, less three standard errors; a short series pays for what it cannot know of its
    // dependence.
    expect(held / trials).toBeGreaterThan(0.95 - 3 * Math.sqrt((0.95 * 0.05) / trials));
    if (n >= 200) expect(held / trials).toBeLessThan(0.975);
  });
});
