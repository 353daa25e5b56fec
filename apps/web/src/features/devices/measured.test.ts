import type { BestResult } from '@tilemark/core';
import { expect, it } from 'vitest';
import { measured, run } from '../../server/results.test-helper';
import { powerCapsOf } from './measured';

const capped = (powerCapW?: number): BestResult => {
  const { measurement, ...outcome } = measured(100);
  const clocks = { smMHz: 1, memoryMHz: 1, temperatureC: 1, powerW: 1, limitedBy: [] };
  const after = { ...clocks, ...(powerCapW && { powerCapW }) };
  const read = { ...measurement, clocks: { before: after, after } };
  return { ...run({ outcome: { ...outcome, measurement: read } }) } as BestResult;
};

it('names each power cap once, and none where no driver tells', () => {
  expect(powerCapsOf([capped(300), capped(450), capped(300), capped()])).toBe('300 W, 450 W');
  expect(powerCapsOf([capped(), { ...run({}), outcome: null } as BestResult])).toBe('');
});
