import { SUITES } from '@tilemark/core';
import { expect, it } from 'vitest';
import { cellText, sizesText } from './coverage-table';

const cell = {
  suite: 's',
  params: {},
  total: 12,
  done: 0,
  failed: 0,
  running: 0,
  waiting: 0,
  stale: 0,
  never: 0,
};

it('says what there is of a suite, part by part', () => {
  expect(cellText({ ...cell, done: 10, stale: 2 })).toBe('10 done, 2 stale');
  expect(cellText(cell)).toBe('nothing to run');
});

it('has words for each parameter of the suites', () => {
  for (const { id, params } of SUITES) {
    for (const { name } of params) {
      expect(sizesText({ suite: id, params: { [name]: 16 } })).toMatch('16');
    }
  }
});

it('says at which sizes it is counted', () => {
  expect(sizesText({ ...cell, params: { rows: 3072, cols: 4096 } })).toBe(
    // Lines break at the comma only.
    '3072\u00a0rows, 4096\u00a0columns',
  );
  expect(sizesText({ ...cell, params: { n: 2048 } })).toBe('2048\u00a0×\u00a02048');
  const peak = { suite: 'peak', params: { n: 2048 } };
  expect(sizesText(peak)).toBe('2048\u00a0×\u00a02048\u00a0and\u00a0others');
  expect(sizesText({ ...cell, params: {} })).toBe('fixed sizes');
});
