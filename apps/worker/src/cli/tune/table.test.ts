import type { Trial } from '@tilemark/core';
import { parseProblem, parseVariant } from '@tilemark/kernels';
import { expect, it } from 'vitest';
import { measured } from '../../../../../packages/core/src/server/store/fixtures.test-helper';
import { tunedTable } from './table';

const problem = parseProblem({ op: 'transpose', shape: '64x32', dtype: 'f32' });
const final = (address: string, ns: number): Trial => ({
  point: parseVariant(address),
  policy: 'default',
  outcome: measured(ns, { policy: 'default' }),
});

it('compares finals with the fastest of them', () => {
  const finals = [final('transpose/tiled[TILE=8]', 100), final('transpose/padded[TILE=8]', 125)];
  const [head, first, second] = tunedTable(finals, problem).split('\n');
  expect(head).toContain('of fastest');
  expect(first).toMatch(/ 1\.000$/);
  expect(second).toMatch(/ 0\.800$/);
});
