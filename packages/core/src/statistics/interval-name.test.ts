import { expect, test } from 'vitest';
import { hasInterval, intervalsHead, intervalsText, intervalText } from './interval-name';

test('the range of a few samples is not called an interval', () => {
  const text = (...samples: number[]) => intervalsText(samples.map((n) => ({ n })));
  expect(text(30, 6)).toBe('95% intervals within the run');
  expect(text(5, 5)).toBe('ranges, as fewer than six independent samples have no 95% interval');
  expect(text(5, 30)).toMatch(/^95% intervals within the run, or ranges/);
  expect(text(1, 30)).toMatch(/; one sample has neither$/);
  const head = (...samples: number[]) => intervalsHead(samples.map((n) => ({ n })));
  expect([head(30, 6), head(5, 30), head(5)]).toEqual(['95%', '95% or range', 'range']);
});

test('samples that repeat one another count as those they are worth', () => {
  expect(hasInterval({ n: 200, independent: 5.9 })).toBe(false);
  expect(hasInterval({ n: 200, independent: 6 })).toBe(true);
});

test('one sample has no interval, however narrow', () => {
  expect(intervalText(100, 100, 100, 1)).toBe('one sample');
  expect(intervalText(100, 100, 100, 2)).toBe('±<0.1%');
});

test.each([
  [100, 99.8, 100.5, '±0.50%'],
  [100, 100, 100, '±<0.1%'],
  [1000, 999.2, 1000, '±<0.1%'],
  [100, 97.5, 102.5, '±2.5%'],
  [100, 77, 119, '−23% +19%'],
  [100, 99.8, 104, '−0.20% +4.0%'],
  [100, 100, 418, '−0% +318%'],
  [100, 46, 232, '−54% +132%'],
])('an interval about %f from %f to %f is written %s', (median, low, high, text) => {
  expect(intervalText(median, low, high)).toBe(text);
});
