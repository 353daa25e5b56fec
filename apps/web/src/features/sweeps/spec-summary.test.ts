import type { SweepSpec } from '@tilemark/core';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { SpecSummary } from './spec-summary';

const spec: SweepSpec = { cases: [], profiles: ['default'], policy: 'default' };
const names = new Map([
  ['a', 'Alpha'],
  ['b', 'Beta'],
]);
const textOf = (over: Partial<SweepSpec>, planned: ReadonlySet<string> | null) =>
  renderToStaticMarkup(SpecSummary({ spec: { ...spec, ...over }, names, planned }));

test('names the variant that a case takes turns with', () => {
  const [shape] = [{ m: 64, n: 64, k: 64 }];
  const mine = { kernel: 'matmul/tiled', tunables: {}, shapes: [shape], dtypes: ['f32' as const] };
  const rival = { kernel: 'matmul/naive', tunables: { BLOCK: 8 } };
  expect(textOf({ cases: [{ ...mine, rival }] }, null)).toContain('matmul/naive[BLOCK=8]');
  expect(textOf({ cases: [mine] }, null)).not.toContain('In turns with');
});

test('names the devices of a sweep: those it asked for, else those with runs', () => {
  expect(textOf({ devices: ['b'] }, new Set())).toContain('Devices: Beta.');
  expect(textOf({}, new Set())).toContain('Devices: Alpha, Beta.');
  // Runs that are not shown may have been on others.
  expect(textOf({}, null)).not.toContain('Alpha');
});
