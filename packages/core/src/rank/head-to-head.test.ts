import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contrast, pairContrast, repeatedDuels } from './head-to-head';
import { spreadPrior, turnsPrior } from './headline';

/** A median whose interval reaches so far to both sides, relative. */
const around = (medianNs: number, part: number) => ({
  medianNs,
  lowNs: medianNs * (1 - part),
  highNs: medianNs * (1 + part),
});

describe('contrast', () => {
  it.each([
    ['FAST', 101, 0.001],
    ['SLOW', 99, 0.001],
    ['SAME', 100.1, 0.001],
    // A difference that is real and too small to matter.
    ['SAME', 100.3, 0.0001],
    ['UNDECIDED', 101, 0.005],
    ['UNDECIDED', 100, 0.01],
    // 0.685 times the speed, by intervals that leave room for anything: nobody knows.
    ['UNDECIDED', 68.5, 0.4],
  ])('says %s of 100 ns beside %d ns, each known to %d', (verdict, baseNs, part) => {
    expect(contrast(around(100, part), around(baseNs, part)).verdict).toBe(verdict);
  });

  it('adds the intervals of both as independent', () => {
    const { high, low, ratio } = contrast(around(100, 0.03), around(200, 0.04));
    expect(ratio).toBe(2);
    expect(high / ratio - 1).toBeCloseTo(0.05, 2);
    expect(1 - low / ratio).toBeCloseTo(0.05, 2);
  });

  it('swaps with its arguments', async () => {
    await fc.assert(
      fc.property(
        fc.double({ min: 50, max: 200, noNaN: true }),
        fc.double({ min: 0, max: 0.05, noNaN: true }),
        (ns, part) => {
          const swapped = { FAST: 'SLOW', SLOW: 'FAST', SAME: 'SAME', UNDECIDED: 'UNDECIDED' };
          const [a, b] = [around(ns, part), around(100, 0.001)];
          expect(contrast(a, b).verdict).toBe(swapped[contrast(b, a).verdict]);
        },
      ),
    );
  });

  it('says what it would take to decide', () => {
    // ±1.4% of a ratio 3% beyond the margin's 0.5%: decided; of one 0.7% beyond it: four times.
    expect(contrast(around(100, 0.01), around(103.5, 0.01)).verdict).toBe('FAST');
    const undecided = contrast(around(100, 0.01), around(101.2, 0.01));
    expect(undecided.wouldTake).toBeCloseTo(4, 0);
    // So near the margin, more than a thousand times.
    expect(contrast(around(100, 0.01), around(100.5, 0.01)).wouldTake).toBeNull();
  });
});

describe('a range for an interval', () => {
  const range = (ns: number, width: number) => ({ ...around(ns, width), isRange: true });

  it.each([
    [100, 0.05, 210, 'SLOW'],
    [210, 0.05, 100, 'FAST'],
    // Apart, by less than they are wide.
    [100, 0.05, 120, 'UNDECIDED'],
    [100, 0.0001, 100.01, 'UNDECIDED'],
  ] as const)('around %d by %d, against %d, is %s', (ns, width, other, verdict) => {
    const a = range(ns, width);
    expect(pairContrast({ a, b: around(other, width) }).verdict).toBe(verdict);
    expect(pairContrast({ a, b: range(other, width) }).verdict).toBe(verdict);
  });
});

describe('duels between processes', () => {
  const duels = (...ratios: number[]) =>
    ratios.map((ratio) => ({ ratio, low: ratio * 0.999, high: ratio * 1.001 }));

  it('have the mirrored verdict where they are mirrored', async () => {
    const swapped = { FAST: 'SLOW', SLOW: 'FAST', SAME: 'SAME', UNDECIDED: 'UNDECIDED' };
    const ratios = fc.array(fc.double({ min: 0.5, max: 2, noNaN: true }), { minLength: 1 });
    await fc.assert(
      fc.property(ratios, (those) => {
        const own = repeatedDuels(duels(...those), spreadPrior('gpu'));
        const mirror = duels(...those).map(({ high, low, ratio }) => ({
          ...{ ratio: 1 / ratio, low: 1 / high, high: 1 / low },
        }));
        const other = repeatedDuels(mirror, spreadPrior('gpu'));
        expect(other.low * own.high).toBeCloseTo(1, 9);
        expect(other.verdict).toBe(swapped[own.verdict]);
      }),
    );
  });

  it('decide together what each decides, and leave open what they do not agree on', () => {
    const gpu = spreadPrior('gpu');
    expect(repeatedDuels(duels(0.9, 0.901, 0.899, 0.9, 0.9), gpu).verdict).toBe('SLOW');
    expect(repeatedDuels(duels(1, 1.0002, 0.9998, 1, 1.0001), gpu).verdict).toBe('SAME');
    // Each by itself is SLOW or FAST: what differs is the processes.
    expect(repeatedDuels(duels(0.98, 1.02, 0.99), gpu).verdict).toBe('UNDECIDED');
    // A single one does not know how processes differ; nor do two that share a CPU.
    expect(repeatedDuels(duels(0.95), gpu).verdict).toBe('UNDECIDED');
    expect(repeatedDuels(duels(0.9, 0.9), turnsPrior('software')).verdict).toBe('UNDECIDED');
  });
});
