import { expect, test } from 'vitest';
import { boundText, fullRate, overPeak, peakText } from './scale';

test('a share of more than the peak comes with its reason', () => {
  const near = 'a probe only comes close to a peak, and up to 5% beyond it is believed';
  expect(boundText({ bound: 'compute', share: 0.7 })).toBe('measured compute');
  expect(boundText({ bound: 'bandwidth', share: 1.02 })).toBe(`measured bandwidth: ${near}`);
  expect(boundText({ bound: 'by data sheet', share: 1.3 })).toBe(
    'by data sheet: the data may come from a cache',
  );
  expect(overPeak({ bound: 'compute', share: 1 })).toBeNull();
});

test('a bar has a length only where there is something to compare with', () => {
  const peak = { rate: 8, isMeasured: true, bound: 'compute' as const };
  expect(fullRate(peak, [{ rate: 2 }])).toBe(8);
  expect(fullRate(null, [{ rate: 2 }, { rate: 3 }])).toBe(3);
  expect(fullRate(null, [{ rate: 2 }])).toBeNull();
});

test('a peak says its unit and where it is from', () => {
  const peak = { rate: 8, isMeasured: true, bound: 'bandwidth' as const };
  expect(peakText(peak, 'GB/s')).toBe('peak by bandwidth 8.000 GB/s');
  expect(peakText({ ...peak, isMeasured: false, bound: 'by data sheet' }, 'GB/s')).toBe(
    'peak 8.000 GB/s by data sheet',
  );
  expect(peakText(peak)).toBe('peak by bandwidth 8.000');
});
