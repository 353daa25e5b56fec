import { leaderboardQuerySchema } from '@tilemark/core';
import { expect, it } from 'vitest';
import { parseQuery } from './query';

it('puts aside what a schema refuses, with a sentence, and keeps the rest', () => {
  const { query, refused } = parseQuery(leaderboardQuerySchema, { op: 'fft', dtype: 'i32' });
  expect(query).toMatchObject({ op: 'matmul', dtype: 'i32' });
  expect(refused).toEqual(['op cannot be “fft”.']);
});

it('takes the first of a repeated parameter and no notice of unknown ones', () => {
  const { query, refused } = parseQuery(leaderboardQuerySchema, {
    profile: ['fast', 'default'],
    utm: 'x',
  });
  expect(query.profile).toBe('fast');
  expect(refused).toEqual([]);
});
