import { expect, it } from 'vitest';
import { cellText, sizesText } from './coverage-table';

const cell = {
  ...{ suite: 's', params: {}, total: 12, done: 0, failed: 0 },
  ...{ running: 0, waiting: 0, stale: 0, never: 0 },
};

it('says what there is of a suite, part by part', () => {
  expect(cellText({ ...cell, done: 10, stale: 2 })).toBe('10 done, 2 stale');
  expect(cellText(cell)).toBe('nothing to run');
});

it('says at which sizes it is counted', () => {
  expect(sizesText({ params: { rows: 3072, cols: 4096 } })).toBe(
    // Lines break at the comma only.
    'rows\u00a0=\u00a03072, cols\u00a0=\u00a04096',
  );
  expect(sizesText({ params: {} })).toBe('fixed sizes');
});
