import { newSweepSchema } from '@tilemark/core';
import { InputError } from '@tilemark/kernels';
import { describe, expect, it } from 'vitest';
import { problemOf } from './api/app';
import { problemOfZod, problemResponse } from './problem';

const spec = (over: object, top: object = {}) => ({
  name: 'a sweep',
  spec: {
    cases: [{ kernel: 'matmul/tiled', shapes: [{ m: 16, n: 16, k: 16 }], ...over }],
    ...top,
  },
});

const fieldOf = (input: unknown) => {
  const parsed = newSweepSchema.safeParse(input);
  return parsed.success ? 'accepted' : problemOfZod(parsed.error, input).field;
};

describe('problemOfZod', () => {
  it.each([
    ['a zero', spec({ shapes: [{ m: 0, n: 16, k: 16 }] }), 'spec.cases[0].shapes[0].m'],
    ['a negative', spec({ shapes: [{ m: 16, n: -1, k: 16 }] }), 'spec.cases[0].shapes[0].n'],
    ['a fraction', spec({ shapes: [{ m: 16, n: 16, k: 1.5 }] }), 'spec.cases[0].shapes[0].k'],
    ['a giant', spec({ shapes: [{ rows: 16_777_217, cols: 1 }] }), 'spec.cases[0].shapes[0].rows'],
    ['three bad sizes', spec({ shapes: [{ m: 0, n: 0, k: 0 }] }), 'spec.cases[0].shapes[0].m'],
    [
      'the first of many',
      spec({ shapes: [{ m: 0, n: 1, k: 1 }], dtypes: ['f64'] }, { profiles: ['turbo'] }),
      'spec.cases[0].shapes[0].m',
    ],
    ['a stranger', spec({ shapes: [{ m: 1, n: 1, k: 1, z: 1 }] }), 'spec.cases[0].shapes[0].z'],
    ['no shapes', spec({ shapes: [] }), 'spec.cases[0].shapes'],
    ['an unknown dtype', spec({ dtypes: ['f64'] }), 'spec.cases[0].dtypes[0]'],
    ['an unknown profile', spec({}, { profiles: ['turbo'] }), 'spec.profiles[0]'],
    ['an empty name', { ...spec({}), name: '  ' }, 'name'],
    ['a suite that is not text', { name: 'a', suite: 3 }, 'suite'],
    [
      'a parameter that is not a number',
      { name: 'a', suite: 'layouts', params: { n: 'x' } },
      'params.n',
    ],
    ['an unknown field', { ...spec({}), colour: 'red' }, 'colour'],
    ['nothing', {}, 'name'],
  ])('names the field of %s', (_, input, field) => {
    expect(fieldOf(input)).toBe(field);
  });

  it('finds nothing wrong with a good request', () => {
    expect(fieldOf(spec({}))).toBe('accepted');
  });
});

describe('problemOf', () => {
  it('keeps the field of an input error', () => {
    expect(problemOf(new InputError('TILE cannot be 7', 'cases[0].tunables.TILE'))).toMatchObject({
      status: 400,
      field: 'cases[0].tunables.TILE',
    });
  });

  it('tells nothing of the inside', async () => {
    const response = problemResponse(problemOf(new Error('password=hunter2')));
    expect(response.status).toBe(500);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    expect(await response.text()).not.toContain('hunter2');
  });
});
