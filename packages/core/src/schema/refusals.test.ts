import { expect, test } from 'vitest';
import { z } from 'zod';
import { refusalOf } from './refusals';

test.each([
  [z.string(), undefined, 'is required'],
  [z.array(z.string()), 'x', 'must be a list'],
  [z.int(), 1.5, 'must be a whole number'],
  [z.number().min(1), 0, 'must be at least 1'],
  [z.number().lt(8), 8, 'must be less than 8'],
  [z.string().min(1), '', 'must not be empty'],
  [z.array(z.int()).max(2), [1, 2, 3], 'must have at most 2 entries'],
  [z.enum(['f32', 'f16']), 'f64', 'must be one of f32, f16'],
  [z.literal(1), 2, 'must be 1'],
  [z.iso.datetime(), 'noon', 'must be a date and time such as 2026-11-23T10:00:00Z'],
])('a schema refuses in plain words: %#', (schema, value, words) => {
  const message = schema.safeParse(value).error?.issues[0]?.message ?? '';
  expect(message).toBe(words);
  expect(refusalOf('shapes', message)).toBe(`shapes ${words}`);
});

test('what a schema says itself stands alone', () => {
  const schema = z.string().min(1, 'Enter at least one shape.');
  const message = schema.safeParse('').error?.issues[0]?.message ?? '';
  expect(refusalOf('shapes', message)).toBe('Enter at least one shape.');
});
