import { expect, test } from 'vitest';
import { didYouMean } from './near';

const suites = ['starter', 'layouts', 'tiling-ladder', 'tiled-vs-naive'];

test.each([
  ['layout', 'layouts'],
  ['Layouts', 'layouts'],
  ['tiling', 'tiling-ladder'],
  ['startr', 'starter'],
])('%s is nearly %s', (text, meant) => {
  expect(didYouMean(text, suites, 'Suites')).toBe(`Did you mean ${meant}?`);
});

test.each(['', 'x', 'conv2d', 'matmul'])('%s is nothing known', (text) => {
  expect(didYouMean(text, suites, 'Suites')).toBe(
    'Suites: starter, layouts, tiling-ladder, tiled-vs-naive.',
  );
});
