import { expect, test } from 'vitest';
import { intervalsHead, intervalsText } from './interval-name';

test('the range of a few samples is not called an interval', () => {
  expect(intervalsText([30, 6])).toBe('95% intervals');
  expect(intervalsText([5, 5])).toBe('ranges, as fewer than six samples have no 95% interval');
  expect(intervalsText([5, 30])).toMatch(/^95% intervals, or ranges/);
  expect([[30, 6], [5, 30], [5]].map(intervalsHead)).toEqual(['95%', '95% or range', 'range']);
});
