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
  const { high, low, speedup, verdict } = compare(of(200), of(100));
  expect(verdict).toBe('FAST');
  expect(speedup).toBe(2);
  expect(low).toBeCloseTo((200 * 0.99) / (100 * 1.01));
  expect(high).toBeCloseTo((200 * 1.01) / (100 * 0.99));
  expect(compare(of(100), of(200))).toMatchObject({ verdict: 'SLOW', speedup: 0.5 });
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
