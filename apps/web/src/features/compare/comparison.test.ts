import type { ResultDetail } from '@tilemark/core';
import { expect, it } from 'vitest';
import { measured, run } from '../../server/test-results';
import { compare, type Measured } from './comparison';

function of(medianNs: number, over: Partial<ResultDetail> = {}): Measured {
  const outcome = measured(medianNs);
  const result = { ...run({ outcome }), environment: { driver: 'one' }, ...over } as ResultDetail;
  return { result, measurement: outcome.measurement };
}

it('says how many times faster, within the intervals', () => {
  const { high, low, ratio, verdict } = compare(of(200), of(100));
  expect(verdict).toBe('FAST');
  expect(ratio).toBe(2);
  expect(low).toBeCloseTo((200 * 0.99) / (100 * 1.01));
  expect(high).toBeCloseTo((200 * 1.01) / (100 * 0.99));
  expect(compare(of(100), of(200))).toMatchObject({ verdict: 'SLOW', of: 'speed', ratio: 0.5 });
});

it('calls what the samples do not tell apart the same', () => {
  expect(compare(of(100), of(101)).verdict).toBe('SAME');
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
