import type { SweepSpec } from '@tilemark/core';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { SpecSummary } from './spec-summary';

const spec: SweepSpec = { cases: [], profiles: ['default'], policy: 'default' };
const names = new Map([
  ['a', 'Alpha'],
  ['b', 'Beta'],
]);
const textOf = (over: Partial<SweepSpec>) =>
  renderToStaticMarkup(SpecSummary({ spec: { ...spec, ...over }, names }));

test('names the variant that a case takes turns with', () => {
  const [shape] = [{ m: 64, n: 64, k: 64 }];
  const mine = { kernel: 'matmul/tiled', tunables: {}, shapes: [shape], dtypes: ['f32' as const] };
  const rival = { kernel: 'matmul/naive', tunables: { BLOCK: 8 } };
  expect(textOf({ cases: [{ ...mine, rival }] })).toContain('matmul/naive[BLOCK=8]');
  expect(textOf({ cases: [mine] })).not.toContain('In turns with');
});

test('names the devices of a sweep: those it asked for, else those with runs', () => {
  expect(textOf({ devices: ['b'] })).toContain('Devices: Beta.');
  expect(textOf({})).toContain('Devices: Alpha, Beta.');
});
