import { expect, it } from 'vitest';
import { intervalText, significant, timeText } from './units';

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

it('gives the wider half of an interval', () => {
  expect(intervalText(98, 100, 101)).toBe('±2.0%');
});
