import { describe, expect, it } from 'vitest';
import { headline, spreadOfRepeats, spreadPrior } from './headline';

const invocation = (medianNs: number, part = 0.0005) => ({
  medianNs,
  lowNs: medianNs * (1 - part),
  highNs: medianNs * (1 + part),
});
const half = ({ medianNs, highNs }: { medianNs: number; highNs: number }) => highNs / medianNs - 1;

describe('headline', () => {
  it('is the median of the invocations, not their best', () => {
    const times = [90, 100, 101, 99, 102].map((ns) => invocation(ns));
    expect(headline(times)).toMatchObject({ medianNs: 100, invocations: 5 });
  });

  it('widens a single invocation by the spread of its device, or the prior', () => {
    const alone = headline([invocation(100)]);
    expect(half(alone)).toBeCloseTo(Math.hypot(0.0005, 12.706 * spreadPrior('gpu').relative), 6);
    expect(alone.spread).toBeNull();
    expect(
      half(headline([invocation(100)], { relative: 0.0005, df: 1000, isShown: true })),
    ).toBeCloseTo(Math.hypot(0.0005, 1.96 * 0.0005), 5);
  });

  it('narrows with their number', () => {
    const of = (n: number) => half(headline(Array.from({ length: n }, () => invocation(100))));
    // The second says more than the first left open: the prior is wide because it knows little.
    expect(of(2)).toBeLessThan(of(1) / 4);
    expect(of(4)).toBeLessThan(of(2) / 2);
  });

  it('believes a few invocations that vary more than the device is known to', () => {
    expect(half(headline([invocation(90), invocation(110)]))).toBeGreaterThan(0.15);
  });

  it('does not take two that agree at their word', () => {
    expect(half(headline([invocation(100), invocation(100.001)]))).toBeGreaterThan(0.005);
  });

  it('takes many at their own word', () => {
    const steady = Array.from({ length: 30 }, (_, i) => invocation(100 + (i % 3) / 100));
    expect(half(headline(steady))).toBeLessThan(0.0006);
    const spread = [98, 99, 100, 101, 102].map((ns) => invocation(ns));
    // t of 4 degrees, 1.58% of spread, over the root of five, for a median; the prior is a fifth.
    expect(half(headline(spread))).toBeCloseTo((2.776 * 0.0158 * 1.198) / Math.sqrt(5), 2);
  });

  it('is wide, not negative, where nothing is known', () => {
    const { lowNs } = headline([{ medianNs: 100, lowNs: 1, highNs: 1000 }]);
    expect(lowNs).toBeGreaterThan(0);
  });
});

describe('spreadOfRepeats', () => {
  const of = (count: number, invocations: number, spread: number | null) =>
    Array.from({ length: count }, () => ({ invocations, spread }));

  it('is the prior until enough variants were measured again', () => {
    expect(spreadOfRepeats('gpu', [])).toEqual(spreadPrior('gpu'));
    const few = [...of(50, 1, null), ...of(7, 2, 0.0001)];
    expect(spreadOfRepeats('gpu', few)).toEqual(spreadPrior('gpu'));
    expect(spreadOfRepeats('software', few).relative).toBeGreaterThan(0.05);
  });

  it('is widened by the prior, and never narrowed, where they are few', () => {
    const few = spreadOfRepeats('gpu', of(8, 2, 0.0001));
    expect(few.relative).toBeGreaterThan(0.002);
    expect(few.df).toBeLessThan(5);
    expect(spreadOfRepeats('gpu', of(8, 2, 0.02)).relative).toBeGreaterThan(0.02);
  });

  it('is what they show, whatever some of them do', () => {
    const known = spreadOfRepeats('gpu', [...of(500, 5, 0.0005), ...of(100, 2, 0.2)]);
    expect(known).toMatchObject({ df: 16, isShown: true });
    expect(known.relative).toBeGreaterThan(0.0005);
    expect(known.relative).toBeLessThan(0.0006);
  });
});
