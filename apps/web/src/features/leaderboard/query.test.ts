import { describe, expect, it } from 'vitest';
import { apiHref, boardHref, boardQuerySchema, boardTitle } from './query';

const parse = (given: Record<string, string>) => boardQuerySchema.parse(given);

describe('the address of the board', () => {
  it('is read with its defaults', () => {
    expect(parse({})).toEqual({ op: 'matmul', dtype: 'f32', profile: 'default', view: 'devices' });
  });

  it('leads to itself, whatever it holds', () => {
    const query = parse({
      op: 'transpose',
      shape: '3072x4096',
      view: 'portability',
      groups: 'gpu,software',
    });
    const { searchParams } = new URL(boardHref(query, {}), 'http://grid.test');
    expect(parse(Object.fromEntries(searchParams))).toEqual(query);
  });

  it('changes and forgets parts', () => {
    const query = parse({ dtype: 'f16', rows: 'all', view: 'portability' });
    const href = boardHref(query, { dtype: null, shape: '64' });
    expect(href).not.toContain('dtype');
    expect(href).toContain('view=portability&rows=all&shape=64');
  });
});

it('asks the API for what a view shows, and for nothing that only the page knows', () => {
  expect(apiHref(parse({ groups: 'gpu', map: 'x', rows: 'all' }))).toBe(
    '/api/v1/leaderboard?op=matmul&dtype=f32&profile=default&contributed=apart',
  );
  expect(apiHref(parse({ view: 'portability', groups: 'gpu' }))).toBe(
    '/api/v1/leaderboard/portability?op=matmul&dtype=f32&profile=default&groups=gpu',
  );
});

it('a board is titled by what it asks', () => {
  const titleOf = (query: object) => boardTitle(boardQuerySchema.parse(query));
  expect(titleOf({ shape: '2048', profile: 'fast' })).toBe(
    'Matrix multiply 2048 f32, profile fast',
  );
  expect(titleOf({ op: 'transpose', view: 'portability' })).toBe(
    'Transpose f32, profile default, portability',
  );
});
