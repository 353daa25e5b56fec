import { describe, expect, it } from 'vitest';
import {
  endsText,
  formatAge,
  formatBytes,
  formatDuration,
  formatEstimate,
  formatNs,
  formatOfPeak,
  formatRate,
  formatShape,
  formatSpeedup,
  ratioText,
} from './format';

const spaced = (text: string) => text.replaceAll('\u202f', ' ');

describe('formatNs', () => {
  it.each([
    [850, '850.0 ns'],
    [12_344, '12.34 µs'],
    [1_234_000, '1.234 ms'],
    [2.5e9, '2.500 s'],
    [999.96, '1.000 µs'],
    [999_960, '1.000 ms'],
  ])('%d ns is %s', (ns, text) => {
    expect(spaced(formatNs(ns))).toBe(text);
  });
});

it.each([
  [3.6, '4 s'],
  [90.8, '91 s'],
  [120, '2 min'],
  [720, '12 min'],
  [12_600, '3.5 h'],
])('a duration of %d s is %s', (seconds, text) => {
  expect(spaced(formatDuration(seconds))).toBe(text);
});

it('writes a shape as people do', () => {
  expect(formatShape('3072x4096')).toBe('3072 × 4096');
  expect(formatShape('512')).toBe('512');
});

it('gives rates and ratios a fixed number of digits', () => {
  expect(formatRate(48_312.7)).toBe('48,310');
  expect(formatRate(5.12)).toBe('5.120');
  expect(formatSpeedup(8.836)).toBe('8.84×');
  expect(ratioText({ ratio: 2.561, low: 2.13, high: 3 })).toBe('2.56× (2.13× to 3.00×)');
});

it('says undecided of a ratio whose ends have 1 between them', () => {
  expect(endsText({ low: 0.0517, high: 1.77 })).toBe('0.0517× to 1.77×, undecided');
  expect(endsText({ low: 1.01, high: 1.77 })).toBe('1.01× to 1.77×');
  expect(endsText({ low: 0.5, high: 0.9 })).toBe('0.500× to 0.900×');
});

it('gives shares of the peak in figures, also beyond it', () => {
  expect([0.0351, 0.5, 1, 1.034].map(formatOfPeak)).toEqual(['3.5%', '50%', '100%', '103%']);
});

it('gives memory in binary units', () => {
  expect(spaced(formatBytes(49_152))).toBe('48 KiB');
  expect(spaced(formatBytes(2_147_483_644))).toBe('2 GiB');
  expect(spaced(formatBytes(512))).toBe('512 B');
});

it('gives ages in the largest unit that fits', () => {
  const now = new Date('2026-11-21T12:00:00Z');
  expect(formatAge(new Date('2026-11-21T11:59:40Z'), now)).toBe('just now');
  expect(spaced(formatAge(new Date('2026-11-21T11:18:00Z'), now))).toBe('42 min');
  expect(spaced(formatAge(new Date('2026-11-19T11:00:00Z'), now))).toBe('2 d');
});

it('gives estimates without digits they do not have', () => {
  const texts = [3, 38, 89, 91, 700, 3_600, 5_400, 12_700].map((s) => spaced(formatEstimate(s)));
  expect(texts).toEqual([
    'under 10 s',
    'about 40 s',
    'about 90 s',
    'about 2 min',
    'about 12 min',
    'about 60 min',
    'about 1.5 h',
    'about 3.5 h',
  ]);
});
