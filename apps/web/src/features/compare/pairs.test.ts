import type { HeadToHead } from '@tilemark/core';
import { expect, it } from 'vitest';
import { comparePairs } from './pairs';

const side = (medianNs: number) => ({
  resultId: 'r',
  address: 'matmul/naive',
  unranked: null,
  medianNs,
  lowNs: medianNs * 0.99,
  highNs: medianNs * 1.01,
  minNs: medianNs * 0.98,
  q3Ns: medianNs * 1.01,
});
const pair = (a: number, b: number): HeadToHead => ({
  problem: { op: 'matmul', shape: { m: 64, n: 64, k: 64 }, dtype: 'f32' },
  profile: 'default',
  device: null,
  a: side(a),
  b: side(b),
});

it('gives each pair its verdict and all of them a geometric mean', () => {
  const { counts, mean, rows } = comparePairs([pair(400, 100), pair(100, 400), pair(100, 101)]);
  expect(rows.map((row) => row.verdict)).toEqual(['FAST', 'SLOW', 'SAME']);
  expect(rows[0]).toMatchObject({ speedup: 4 });
  expect(rows[0]!.low).toBeCloseTo((400 * 0.99) / (100 * 1.01));
  expect(counts).toEqual({ FAST: 1, SAME: 1, SLOW: 1 });
  expect(mean).toBeCloseTo((4 * 0.25 * (100 / 101)) ** (1 / 3));
  expect(comparePairs([]).mean).toBeNull();
});
