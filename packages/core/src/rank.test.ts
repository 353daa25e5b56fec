import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { POLICIES } from './policy';
import { geometricMean, ranks, unrankedReason, verdict } from './rank';
import { summarise } from './stats';

const interval = (lowNs: number, highNs: number) => ({ lowNs, highNs });

describe('ranks', () => {
  it('shares a rank where intervals overlap', () => {
    expect(ranks([interval(1, 2), interval(1.5, 3), interval(4, 5)])).toEqual([1, 1, 3]);
  });

  it('separates two that overlap when a third one is faster than only one of them', () => {
    expect(ranks([interval(1, 2), interval(1.5, 3), interval(2.5, 4)])).toEqual([1, 1, 2]);
  });

  it('does not depend on the order of the rows', async () => {
    const intervals = fc.array(
      fc
        .tuple(
          fc.double({ min: 1, max: 9, noNaN: true }),
          fc.double({ min: 0, max: 2, noNaN: true }),
        )
        .map(([low, width]) => interval(low, low + width)),
    );
    await fc.assert(
      fc.property(intervals, (rows) => {
        expect(ranks([...rows].reverse()).reverse()).toEqual(ranks(rows));
      }),
    );
  });
});

describe('verdict', () => {
  const around = (ns: number) => summarise([0.99, 1, 1.01, 1.02].map((factor) => ns * factor));

  it('is FAST or SLOW only beyond 0.5%', () => {
    expect(verdict(around(100), around(110))).toBe('FAST');
    expect(verdict(around(110), around(100))).toBe('SLOW');
    expect(verdict(around(100), around(102))).toBe('SAME');
  });

  it('swaps with its arguments', async () => {
    await fc.assert(
      fc.property(fc.double({ min: 50, max: 200, noNaN: true }), (ns) => {
        const swapped = { FAST: 'SLOW', SLOW: 'FAST', SAME: 'SAME' } as const;
        expect(verdict(around(ns), around(100))).toBe(swapped[verdict(around(100), around(ns))]);
      }),
    );
  });
});

describe('unrankedReason', () => {
  const steady = {
    kernel: { id: 'matmul/tiled' },
    policy: POLICIES.default,
    timer: { kind: 'timestamp', tickNs: 32 },
    deviceClass: 'gpu',
    cold: summarise(Array.from({ length: 30 }, () => 1e6)),
    stop: 'converged',
    roof: { ns: 0.96e6, bound: 'compute' },
  } as const;
  const wild = summarise(Array.from({ length: 30 }, (_, i) => 1e6 * (i % 2 ? 1.1 : 1)));

  it('ranks a converged result', () => {
    expect(unrankedReason(steady)).toBeNull();
  });

  it.each([
    [{ policy: POLICIES.smoke }, /smoke policy/],
    [{ timer: { kind: 'wall', tickNs: 1 } as const }, /wall clock/],
    [{ cold: summarise(Array(9).fill(2e9)), stop: 'capped' } as const, /^9 samples, .* takes 10/],
    [{ stop: 'throttled' } as const, /throttled/],
    [{ cold: wild, stop: 'noisy' } as const, /vary by 4\.8% \(over 3\.5%\)/],
    [{ cold: { ...wild, cv: Number.NaN } }, /noisy/],
    [
      { roof: { ns: 1.1e6, bound: 'bandwidth' } as const },
      /implausible: 10\.0% faster than the band/,
    ],
    [{ kernel: { id: 'matmul/strassen', errorGrowth: 3 } }, /strassen may have 3 times the usual/],
  ])('says why not for %j', (change, why) => {
    expect(unrankedReason({ ...steady, ...change })).toMatch(why);
  });

  it('ranks the wall clock of the host CPU', () => {
    const host = { timer: { kind: 'wall', tickNs: 1 }, deviceClass: 'cpu' } as const;
    expect(unrankedReason({ ...steady, ...host })).toBeNull();
  });
});

describe('geometricMean', () => {
  it('of 2 and 8 is 4', () => {
    expect(geometricMean([2, 8])).toBeCloseTo(4, 12);
    expect(geometricMean([])).toBeNull();
  });
});
