import { expect, it } from 'vitest';
import { intervalText, percentText, significant, timeText } from './table';

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
  expect(intervalText(100, 100, 418)).toBe('-0.00% +318%');
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
