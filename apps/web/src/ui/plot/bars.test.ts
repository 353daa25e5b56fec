import * as Plot from '@observablehq/plot';
import { expect, test } from 'vitest';
import { barsHeight, drawBars, inLines } from './bars';

test('a label is broken between its parts, and no part is lost', () => {
  const label = 'tiled · UNROLL=full · INDEXING=recomputed · SIZING=const';
  expect(inLines(label, 100)).toEqual([label]);
  expect(inLines(label, 30)).toEqual([
    'tiled · UNROLL=full',
    'INDEXING=recomputed',
    'SIZING=const',
  ]);
  expect(inLines(label, 5)).toEqual(label.split(' · '));
});

test('bars have room for the lines that the longest label takes at this width', () => {
  const bar = { rate: 1, isLit: true };
  const bars = [
    { ...bar, key: 'a', label: 'CC' },
    { ...bar, key: 'b', label: Array(5).fill('INDEXING=recomputed').join(' · ') },
  ];
  const heightAt = (width: number) => drawBars(bars, 'GFLOP/s')(Plot, width).height;
  expect(heightAt(1200)).toBe(barsHeight(bars));
  expect(heightAt(300)).toBe(barsHeight(bars) + 2 * 2 * 11);
});
