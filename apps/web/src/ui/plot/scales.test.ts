import { describe, expect, it } from 'vitest';
import { COLORS, logAxis, seriesStyles } from './scales';

const labels = (values: readonly number[]) => {
  const { format, ticks } = logAxis(values);
  return ticks.map(format);
};

describe('logAxis', () => {
  it('begins and ends at a labelled tick beyond its values', () => {
    expect(logAxis([0.9, 7.3]).scale.domain).toEqual([0.5, 10]);
    expect(labels([0.9, 7.3])).toEqual(['0.5', '1', '2', '5', '10']);
    expect(labels([1, 5])).toEqual(['1', '2', '5']);
  });

  it('marks decades alone where many are shown, and not all of many decades', () => {
    expect(labels([0.002, 20_000])).toEqual(['0.001', '0.1', '10', '1,000', '100,000']);
    expect(labels([0.2, 900])).toEqual(['0.1', '1', '10', '100', '1,000']);
  });

  it('has two ends where all values are one', () => {
    expect(logAxis([1, 1]).scale.domain).toEqual([1, 2]);
    expect(logAxis([700]).scale.domain).toEqual([500, 1000]);
  });
});

it('gives a name one colour, and names of their own while there are enough', () => {
  const names = COLORS.map((_, index) => `series ${index}`);
  const { color } = seriesStyles(['series 0', ...names]);
  expect(names.map(color)).toEqual(COLORS);
});

it('begins again where there are more names than colours', () => {
  const names = Array.from({ length: COLORS.length + 1 }, (_, index) => String(index));
  const { color } = seriesStyles(names);
  expect(color(names.at(-1)!)).toBe(color('0'));
});
