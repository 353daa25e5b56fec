import { leaderboardQuerySchema } from '@tilemark/core';
import { expect, it } from 'vitest';
import { boardQuerySchema } from '@/features/leaderboard/query';
import { parseQuery } from './query';

it('puts aside what a schema refuses, with a sentence, and keeps the rest', () => {
  const { query, refused } = parseQuery(leaderboardQuerySchema, { op: 'fft', dtype: 'i32' });
  expect(query).toMatchObject({ op: 'matmul', dtype: 'i32' });
  expect(refused).toEqual([expect.stringMatching(/^op cannot be “fft”: /)]);
});

it('takes no notice of unknown parameters and of empty ones', () => {
  const given = { profile: 'fast', shape: '', utm: 'x' };
  const { query, refused } = parseQuery(leaderboardQuerySchema, given);
  expect(query).toMatchObject({ profile: 'fast' });
  expect(refused).toEqual([]);
});

it.each([
  ['shape=12x', "shape: '12x' is not a shape of matmul"],
  ['op=transpose&shape=1x2x3', 'is not a shape of transpose'],
  ['shape=16777217', 'from 1 to 16777216'],
  ['view=pie', 'view cannot be “pie”'],
  ['groups=gpu,toaster', 'groups cannot be “gpu,toaster”'],
])('says of a board’s %s what is wrong with it, and shows another', (search, reason) => {
  const given = Object.fromEntries(new URLSearchParams(search));
  const { query, refused } = parseQuery(boardQuerySchema, given);
  expect(refused.join()).toContain(reason);
  expect(query.profile).toBe('default');
});
