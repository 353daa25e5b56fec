import { expect, test } from 'vitest';
import { boundText, overPeak } from './scale';

test('a share of more than the peak comes with its reason', () => {
  const near = 'a probe only comes close to a peak, and up to 5% beyond it is believed';
  expect(boundText({ bound: 'compute', share: 0.7 })).toBe('measured compute');
  expect(boundText({ bound: 'bandwidth', share: 1.02 })).toBe(`measured bandwidth: ${near}`);
  expect(boundText({ bound: 'by data sheet', share: 1.3 })).toBe(
    'by data sheet: the data may come from a cache',
  );
  expect(overPeak({ bound: 'compute', share: 1 })).toBeNull();
});
