import {
  contrast,
  type Headline,
  headline,
  type ResultDetail,
  type Spread,
  spreadPrior,
} from '@tilemark/core';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { measured, run } from '../../server/results.test-helper';
import { compare, type Measured } from './comparison';
import { Effect } from './verdict';

function of(
  medianNs: number,
  over: Partial<ResultDetail> = {},
  spread: Spread = { relative: 0.003, df: 1000, isShown: true },
): Measured {
  const outcome = measured(medianNs);
  const result = { ...run({ outcome }), environment: { driver: 'one' }, ...over } as ResultDetail;
  const { measurement } = outcome;
  const cold = { ...measurement.cold, n: 40, independent: 40 };
  return { result, measurement: { ...measurement, cold }, spread };
}

const OTHER = { address: 'matmul/naive' };

it('says how many times faster, within the intervals', () => {
  const { high, low, ratio, verdict } = compare(of(200), of(100, OTHER));
  expect(verdict).toBe('FAST');
  expect(ratio).toBe(2);
  // 1% of each, and the 0.6% by which one invocation may differ from the next.
  expect(low).toBeCloseTo(2 * Math.exp(-Math.hypot(0.01, 0.01, 0.0059, 0.0059)), 2);
  expect(high).toBeCloseTo(2 * Math.exp(Math.hypot(0.01, 0.01, 0.0059, 0.0059)), 2);
  expect(compare(of(100), of(200, OTHER))).toMatchObject({
    verdict: 'SLOW',
    of: 'speed',
    ratio: 0.5,
  });
});

it('widens the interval by what is known of the device', () => {
  const widely = { relative: 0.1, df: 10, isShown: true };
  expect(compare(of(110), of(100, OTHER)).verdict).toBe('FAST');
  expect(compare(of(110, {}, widely), of(100, OTHER, widely)).verdict).toBe('UNDECIDED');
  const unknown = spreadPrior('gpu');
  expect(compare(of(110, {}, unknown), of(100, OTHER, unknown)).verdict).toBe('UNDECIDED');
});

it('gives two runs of one variant no verdict', () => {
  expect(compare(of(200), of(100))).toMatchObject({ verdict: null, isRepeat: true });
  expect(compare(of(200), of(100, OTHER)).isRepeat).toBe(false);
});

it('leaves undecided what the intervals do not tell apart', () => {
  const undecided = compare(of(100), of(101, OTHER));
  expect(undecided.verdict).toBe('UNDECIDED');
  expect(undecided.wouldTake).toBeGreaterThan(1);
});

it('decides nothing by the range of too few samples', () => {
  const few = of(100, OTHER);
  const cold = {
    ...few.measurement.cold,
    n: 5,
    independent: 5,
    samplesNs: [60, 90, 100, 110, 140],
  };
  const ofFew = { ...few, measurement: { ...few.measurement, cold } };
  expect(compare(of(200), few)).toMatchObject({ verdict: 'FAST', isRange: false });
  expect(compare(of(200), ofFew)).toMatchObject({ verdict: 'UNDECIDED', isRange: true });
});

it('decides by separate samples, however dependent, whose spread is far below their difference', () => {
  const ten = (medianNs: number, spread: number, over: Partial<ResultDetail> = {}) => {
    const measured = of(medianNs, over);
    const samplesNs = Array.from({ length: 10 }, (_, i) => medianNs * (1 + (spread * i) / 9));
    const cold = { ...measured.measurement.cold, n: 10, independent: 2, samplesNs };
    return { ...measured, measurement: { ...measured.measurement, cold } };
  };
  const compared = (spread: number) => compare(ten(210, spread), ten(100, spread, OTHER));
  const textOf = (spread: number) => renderToStaticMarkup(Effect({ of: compared(spread) }));
  expect(compared(0.0001).verdict).toBe('FAST');
  expect(textOf(0.0001)).not.toContain('too few');
  expect(compared(0.1).verdict).toBe('UNDECIDED');
  expect(textOf(0.1)).toContain('too few');
});

it('names everything that differs', () => {
  const other = of(100, {
    profile: 'fast',
    problem: { op: 'matmul', shape: { m: 64, n: 64, k: 64 }, dtype: 'f32' },
  });
  expect(compare(of(100), other).differences).toEqual(['problem', 'profile']);
});

const square = (n: number) => ({
  problem: { op: 'matmul', shape: { m: n, n, k: n }, dtype: 'f32' } as const,
});

it('gives no verdict on different work, and compares rates instead of times', () => {
  // Half the edge is an eighth of the work: in a quarter of the time, half the rate.
  expect(compare(of(400, square(512)), of(100, square(256)))).toMatchObject({
    verdict: null,
    of: 'rate',
    ratio: 0.5,
  });
});

it('compares nothing of a product and a transpose, whose rates have other units', () => {
  const transpose = { op: 'transpose', shape: { rows: 64, cols: 64 }, dtype: 'f32' } as const;
  const { of: what, verdict } = compare(of(100), of(100, { problem: transpose }));
  expect({ what, verdict }).toEqual({ what: null, verdict: null });
});

it('has for a pair the interval that every page has, and asks for no policy that both have', () => {
  const [a, b] = [of(100), of(101, OTHER)];
  const [onBoard, other] = [a, b].map(({ measurement, spread }) =>
    headline([measurement.cold], spread),
  ) as [Headline, Headline];
  const { high, low, ratio } = contrast(other, onBoard);
  const comparison = compare(a, b);
  expect(comparison).toMatchObject({ high, low, ratio, verdict: 'UNDECIDED' });
  const text = renderToStaticMarkup(Effect({ of: comparison })).replaceAll(/<[^>]*>/g, '');
  expect(text).toContain('times as many invocations of both would decide');
  expect(text).not.toContain('policy');
});
