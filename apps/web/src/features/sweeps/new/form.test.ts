import { requestedSpec } from '@tilemark/core';
import { KERNELS } from '@tilemark/kernels';
import { describe, expect, it } from 'vitest';
import { controlOf, emptyCase, prefilled, prefillSchema, type SweepForm, toNewSweep } from './form';

const blank = prefilled(prefillSchema.parse({}), () => undefined);
const byHand = (over: Partial<SweepForm['cases'][number]>): SweepForm => {
  const tiled = KERNELS.find(({ id }) => id === 'matmul/tiled')!;
  return { ...blank, from: 'hand', cases: [{ ...emptyCase(tiled), ...over }] };
};

describe('toNewSweep', () => {
  it('gives tunables the types of their declaration', () => {
    const sweep = toNewSweep(byHand({ tunables: { TILE: ['8', '16'], A_LAYOUT: ['col'] } }));
    expect(sweep).toMatchObject({
      spec: { cases: [{ tunables: { TILE: [8, 16], A_LAYOUT: ['col'] } }] },
    });
  });

  it('reads shapes as people write them', () => {
    const sweep = toNewSweep(byHand({ shapes: ' 512, 256x128×64 ;16' }));
    expect(sweep).toMatchObject({
      spec: {
        cases: [
          {
            shapes: [
              { m: 512, n: 512, k: 512 },
              { m: 256, n: 128, k: 64 },
              { m: 16, n: 16, k: 16 },
            ],
          },
        ],
      },
    });
  });

  it('reads ranges of shapes', () => {
    const sweep = toNewSweep(byHand({ shapes: '256..1024 x2' }));
    const shapes = [256, 512, 1024].map((n) => ({ m: n, n, k: n }));
    expect(sweep).toMatchObject({ spec: { cases: [{ shapes }] } });
  });

  it.each(['0', '-1', '1.5', '99999999', '512x512', 'abc'])('refuses the shape %s', (shapes) => {
    expect(() => toNewSweep(byHand({ shapes }))).toThrow(
      expect.objectContaining({ field: 'cases[0].shapes' }),
    );
  });

  it('refuses a parameter that is not a number', () => {
    const form: SweepForm = { ...blank, suite: 'layouts', params: { n: '' } };
    expect(() => toNewSweep(form)).toThrow(expect.objectContaining({ field: 'params.n' }));
  });

  it('puts sums through an epilogue where one is chosen', () => {
    expect(toNewSweep({ ...byHand({}), epilogue: 'bias' })).toMatchObject({
      spec: { epilogue: 'bias' },
    });
    const ofSuite = toNewSweep({ ...blank, suite: 'layouts', epilogue: 'relu' });
    expect(requestedSpec(ofSuite)).toMatchObject({ epilogue: 'relu' });
    expect(requestedSpec(toNewSweep(blank))).not.toHaveProperty('epilogue');
  });

  it('names a sweep by what it measures where no name is written', () => {
    expect(toNewSweep({ ...blank, suite: 'layouts', params: { n: '512' } }).name).toBe(
      'layouts, n = 512',
    );
  });
});

describe('controlOf', () => {
  it.each([
    ['name', 'name'],
    ['params.n', 'params.n'],
    ['cases[0].tunables.TILE', 'cases.0.tunables.TILE'],
    ['spec.cases[1].shapes[0].m', 'cases.1.shapes'],
    ['cases[0].dtypes[1]', 'cases.0.dtypes'],
    ['devices[3]', 'devices'],
    ['body', null],
  ])('%s is written in %s', (field, control) => {
    expect(controlOf(field)).toBe(control);
  });
});

describe('prefilled', () => {
  it('takes a suite and its parameters', () => {
    const form = prefilled(prefillSchema.parse({ suite: 'layouts' }), (name) =>
      name === 'n' ? '512' : undefined,
    );
    expect(form).toMatchObject({ from: 'suite', suite: 'layouts', params: { n: '512' } });
  });

  it('takes a kernel with its tunables, and drops values it does not have', () => {
    const form = prefilled(prefillSchema.parse({ kernel: 'matmul/tiled', shape: '64' }), (name) =>
      name === 'TILE' ? '8,16,7' : undefined,
    );
    expect(form).toMatchObject({
      from: 'hand',
      cases: [{ kernel: 'matmul/tiled', tunables: { TILE: ['8', '16'] }, shapes: '64' }],
    });
  });
});
