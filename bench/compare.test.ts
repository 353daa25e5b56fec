import { expect, it } from 'vitest';
import { compare, verdictOf } from './compare';

/** A side whose median has an interval of ±0.3%. */
const side = (medianNs: number, unranked: string | null = null) => ({
  medianNs,
  intervalNs: [medianNs * 0.997, medianNs * 1.003] as const,
  unranked,
});
const row = { goal: 1, isCapped: false };

it.each([
  [101, 'met'],
  [100.1, 'in doubt'],
  [99.9, 'in doubt'],
  [99, 'not met'],
])('the other side at %d ns beside our 100 is a goal of 1 %s', (otherNs, verdict) => {
  const { ratio, ratioInterval, verdict: given } = compare(side(100), side(otherNs), row);
  expect(given).toBe(verdict);
  expect(ratio).toBeCloseTo(otherNs / 100, 12);
  expect(ratioInterval[0]).toBeLessThan(ratio);
  expect(ratioInterval[1]).toBeGreaterThan(ratio);
});

it('gives no verdict on what is not ranked, on either side, nor on another shape', () => {
  const noisy = side(50, 'noisy');
  expect(compare(noisy, side(100), row).verdict).toBe('none: noisy');
  expect(compare(side(100), noisy, row).verdict).toBe('none: noisy');
  // The vendor's side is measured by a program that ranks nothing.
  const vendor = { medianNs: 200, intervalNs: [199, 201] as const };
  expect(compare(side(100), vendor, row).verdict).toBe('met');
  const capped = compare(side(100), vendor, { ...row, isCapped: true });
  expect(capped.verdict).toBe('none: a capped shape');
});

it('is in doubt where the rounds differ', () => {
  expect(verdictOf(['met', 'met'])).toBe('met');
  expect(verdictOf(['met', 'in doubt'])).toBe('in doubt, by round: met, in doubt');
  expect(verdictOf([])).toBe('');
});
