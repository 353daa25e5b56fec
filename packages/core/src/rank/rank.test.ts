import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contrast } from './head-to-head';
import { geometricMean, ranks } from './rank';

const interval = (medianNs: number, part: number) => ({
  medianNs,
  lowNs: medianNs * (1 - part),
  highNs: medianNs * (1 + part),
});

describe('ranks', () => {
  it('shares a rank unless one is FAST against the other', () => {
    expect(ranks([interval(1, 0.001), interval(1.004, 0.001), interval(1.1, 0.001)])).toEqual([
      1, 1, 3,
    ]);
  });

  it('keeps together what differs beyond doubt and by less than the margin', () => {
    expect(ranks([interval(1, 1e-5), interval(1.0005, 1e-5)])).toEqual([1, 1]);
  });

  it('separates two when a third one is faster than only one of them', () => {
    expect(ranks([interval(1, 0.001), interval(1.018, 0.019), interval(1.03, 0.001)])).toEqual([
      1, 1, 2,
    ]);
  });

  it('ranks a median that is not known to 2% no better than what is faster than its slow end', () => {
    expect(ranks([interval(1, 0.001), interval(1.05, 0.4), interval(1.2, 0.001)])).toEqual([
      1, 2, 2,
    ]);
    expect(ranks([interval(1, 0.001), interval(1.05, 0.1), interval(1.2, 0.001)])).toEqual([
      1, 1, 3,
    ]);
    expect(ranks([interval(1, 0.1), interval(1.05, 0.4), interval(1.02, 0.2)])).toEqual([1, 1, 1]);
    expect(ranks([interval(2, 0.001), interval(1, 0.4)])).toEqual([2, 1]);
  });

  it('never gives a rank to two of which one is FAST against the other', async () => {
    const rows = fc.array(
      fc
        .tuple(
          fc.double({ min: 1, max: 1.2, noNaN: true }),
          fc.double({ min: 0, max: 0.05, noNaN: true }),
        )
        .map(([median, part]) => interval(median, part)),
    );
    await fc.assert(
      fc.property(rows, (headlines) => {
        const found = ranks(headlines);
        for (const [a, one] of headlines.entries()) {
          for (const [b, other] of headlines.entries()) {
            if (contrast(one, other).verdict === 'FAST') expect(found[a]).toBeLessThan(found[b]!);
          }
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('does not depend on the order of the rows', async () => {
    const intervals = fc.array(
      fc
        .tuple(
          fc.double({ min: 1, max: 9, noNaN: true }),
          fc.double({ min: 0, max: 0.5, noNaN: true }),
        )
        .map(([median, part]) => interval(median, part)),
    );
    await fc.assert(
      fc.property(intervals, (rows) => {
        expect(ranks([...rows].reverse()).reverse()).toEqual(ranks(rows));
      }),
    );
  });
});

describe('geometricMean', () => {
  it('of 2 and 8 is 4', () => {
    expect(geometricMean([2, 8])).toBeCloseTo(4, 12);
    expect(geometricMean([])).toBeNull();
  });
});
