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
      view: 'heatmap',
      groups: 'gpu,reference',
    });
    const { searchParams } = new URL(boardHref(query, {}), 'http://grid.test');
    expect(parse(Object.fromEntries(searchParams))).toEqual(query);
  });

  it('takes the former name of a group', () => {
    expect(parse({ groups: 'gpu,published' }).groups).toEqual(['gpu', 'reference']);
  });

  it('changes and forgets parts', () => {
    const query = parse({ ship: 'matmul/tiled', rows: 'all', view: 'portability' });
    const href = boardHref(query, { ship: null, view: 'heatmap' });
    expect(href).not.toContain('ship');
    expect(href).toContain('view=heatmap');
    expect(href).toContain('rows=all');
  });
});

it('asks the API for what a view shows, and for nothing that only the page knows', () => {
  expect(apiHref(parse({ groups: 'gpu,reference', rows: 'all' }))).toBe(
    '/api/v1/leaderboard?op=matmul&dtype=f32&profile=default&contributed=apart',
  );
  expect(apiHref(parse({ view: 'portability', groups: 'gpu,reference', ship: 'a' }))).toBe(
    '/api/v1/leaderboard/portability?op=matmul&dtype=f32&profile=default&groups=gpu&ship=a',
  );
});

it('a board is titled by what it asks', () => {
  const titleOf = (query: object) => boardTitle(boardQuerySchema.parse(query));
  expect(titleOf({ shape: '2048', profile: 'fast' })).toBe(
    'Matrix multiply 2048 f32, profile fast',
  );
  expect(titleOf({ op: 'transpose', view: 'heatmap' })).toBe(
    'Transpose f32, profile default, devices × kernels',
  );
});
