import { describe, expect, it } from 'vitest';
import { percentText, significant, table, timeText, wrapped } from './table';

it.each([
  [1, '1.000 ns'],
  [999.9, '999.9 ns'],
  [1500, '1.500 µs'],
  [2.5e6, '2.500 ms'],
  [12.3456e9, '12.35 s'],
  [0.5, '0.5000 ns'],
])('%f ns is written %s', (ns, text) => {
  expect(timeText(ns)).toBe(text);
});

it('keeps four significant digits', () => {
  expect([12_345, 43.1, 0.0123456, 0].map(significant)).toEqual(['12345', '43.10', '0.01235', '0']);
});

it.each([
  [0.1234, '12%'],
  [0.0999, '10%'],
  [0.0345, '3.5%'],
  [0.0031, '0.31%'],
  [0.0002, '0.02%'],
  [0.00003, '<0.01%'],
  [0, '0.00%'],
])('a share of %f is written %s', (share, text) => {
  expect(percentText(share)).toBe(text);
});

it('breaks lines after commas alone', () => {
  const kernels = 'Kernels: matmul/naive, matmul/tiled[TILE=8,WPT=2], transpose/naive';
  expect(wrapped(`${kernels}\nrun tilemark tune --op transpose`, 30)).toBe(
    [
      'Kernels: matmul/naive,',
      '  matmul/tiled[TILE=8,WPT=2],',
      '  transpose/naive',
      'run tilemark tune --op transpose',
    ].join('\n'),
  );
});

describe('a table', () => {
  const head = ['variant', 'rate', 'CV', 'empty', 'remark'];
  const tile = 'matmul/warp-tile[BM=128,BN=128,BK=16,UNROLL=16]';
  const rows = [
    [tile, '51234 GFLOP/s', '0.21%', '', 'noisy'],
    ['matmul/naive', '9012 GFLOP/s', '0.50%', '', ''],
  ];
  const lines = (width: number) =>
    table(head, rows, ['left', 'right', 'right'], { spare: ['CV'], width }).split('\n');

  it('has remarks below it, and no empty column', () => {
    const [first, , naive, ...below] = lines(Number.POSITIVE_INFINITY);
    expect(first).toMatch(/^variant +rate +CV$/);
    expect(naive).toMatch(/^matmul\/naive +9012 GFLOP\/s +0.50%$/);
    expect(below).toEqual(['[1] noisy']);
  });

  it('fits a narrow terminal, and says what it leaves out', () => {
    const narrow = lines(46);
    expect(narrow.at(-1)).toBe('Left out of 46 columns: CV.');
    const drawn = narrow.slice(0, -1);
    expect(Math.max(...drawn.map((line) => line.length))).toBeLessThanOrEqual(46);
    const first = drawn.slice(1).map((line) => line.slice(0, 24).trim());
    expect(first.slice(0, 3).join('')).toBe(tile);
    expect(first[3]).toBe('matmul/naive');
  });
});
