import { requestedSpec, type Sweep, suiteSpec } from '@tilemark/core';
import { describe, expect, it } from 'vitest';
import { prefilled, prefillSchema, toNewSweep } from './form';
import { formOfSweep } from './from-sweep';

const blank = prefilled(prefillSchema.parse({}), () => undefined);
const sweepOf = (over: Partial<Sweep>) =>
  formOfSweep(
    { name: 'Mine', suite: null, spec: suiteSpec('starter'), isImported: false, ...over },
    blank,
  );

describe('formOfSweep', () => {
  it('shows a suite with its usual parameters as that suite', () => {
    const spec = { ...suiteSpec('layouts'), policy: 'smoke' as const, devices: ['a'] };
    const { form } = sweepOf({ suite: 'layouts@1', spec });
    expect(form).toMatchObject({ from: 'suite', suite: 'layouts' });
    expect(requestedSpec(toNewSweep(form))).toEqual(spec);
    expect(sweepOf({ suite: 'layouts@999', spec }).form.from).toBe('hand');
  });

  it('shows a suite with other parameters by hand', () => {
    const spec = suiteSpec('layouts', { n: 96 });
    const { form, refused } = sweepOf({ suite: 'layouts@1', spec });
    expect(form.from).toBe('hand');
    expect(refused).toEqual([]);
    expect(form.cases.map(({ shapes }) => shapes)).toEqual(['96', '96']);
    expect(form.cases[1]?.tunables).toMatchObject({ A_LAYOUT: ['row', 'col'] });
  });

  it('names a copy after its sweep, unless that was measured elsewhere', () => {
    expect(sweepOf({}).form.name).toBe('Mine, again');
    const imported = sweepOf({ name: 'Import of NVIDIA H200: layouts', isImported: true });
    expect(imported.form.name).toBe(blank.name);
  });

  it('gives back what was asked by hand', () => {
    const spec: Sweep['spec'] = {
      cases: [
        {
          kernel: 'matmul/tiled',
          tunables: { TILE: [8, 16] },
          shapes: [
            { m: 512, n: 512, k: 512 },
            { m: 256, n: 128, k: 64 },
          ],
          dtypes: ['f32', 'i32'],
        },
      ],
      profiles: ['fast'],
      policy: 'default',
      epilogue: 'relu',
    };
    const { form } = sweepOf({ spec });
    // The choice is one of those that the form has.
    expect(form.policy).toBe('');
    const again = toNewSweep(form);
    expect(again).toMatchObject({
      spec: { ...spec, cases: [{ ...spec.cases[0], tunables: { TILE: [8, 16] } }] },
    });
  });

  it('says which kernels have left the registry', () => {
    const spec: Sweep['spec'] = {
      cases: [
        { kernel: 'matmul/gone', tunables: {}, shapes: [{ m: 8, n: 8, k: 8 }], dtypes: ['f32'] },
      ],
      profiles: ['default'],
      policy: 'default',
    };
    const { form, refused } = sweepOf({ spec });
    expect(refused).toEqual(['The kernel matmul/gone, which no longer exists.']);
    expect(form.cases).toEqual(blank.cases);
  });

  it('says what the form has no words for, and keeps the other cases', () => {
    const shapes = [{ m: 8, n: 8, k: 8 }];
    const rival = { kernel: 'matmul/tiled', tunables: {} };
    const spec: Sweep['spec'] = {
      cases: [
        { kernel: 'ada/mine@0a1b2c3d', tunables: {}, shapes, dtypes: ['f32'], rival },
        { kernel: 'matmul/naive', tunables: {}, shapes, dtypes: ['f32'], rival },
      ],
      profiles: ['default'],
      policy: 'default',
    };
    const { form, refused } = sweepOf({ spec });
    expect(refused).toEqual([
      expect.stringMatching(/^ada\/mine@0a1b2c3d, a contributed kernel/),
      'The turns of matmul/naive with matmul/tiled: this form has none.',
    ]);
    expect(form.cases.map(({ kernel }) => kernel)).toEqual(['matmul/naive']);
  });
});
