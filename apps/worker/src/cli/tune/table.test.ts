import type { PolicyId, Trial } from '@tilemark/core';
import { parseProblem, parseVariant } from '@tilemark/kernels';
import { expect, it } from 'vitest';
import { measured } from '../../../../../packages/core/src/server/store/fixtures.test-helper';
import { tunedTable } from './table';

const problem = parseProblem({ op: 'transpose', shape: '64x32', dtype: 'f32' });
const trial = (address: string, policy: PolicyId, ns: number): Trial => ({
  point: parseVariant(address),
  policy,
  outcome: measured(ns, { policy }),
});

it('compares with the default by the quick runs of both, and leaves out what has none', () => {
  const finals = ['transpose/tiled[TILE=8]', 'transpose/padded[TILE=8]'].map((address) =>
    trial(address, 'default', 100),
  );
  const screened = [
    trial('transpose/tiled', 'screen', 300),
    trial('transpose/tiled[TILE=8]', 'screen', 200),
    trial('transpose/padded[TILE=8]', 'screen', 200),
  ];
  const [, first, second] = tunedTable(finals, screened, problem).split('\n');
  expect(first).toContain('1.500x');
  expect(second).not.toMatch(/x$/);
});
