import { expect, it } from 'vitest';
import { COLORS, seriesStyles } from './palette';

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
