import type { Problem } from '@tilemark/kernels';
import { expect, test } from 'vitest';
import { dataSheetTime, peakShare } from './data-sheet';

const H200 = { device: 'NVIDIA H200', class: 'gpu' } as const;
const product = (n: number, dtype: Problem['dtype'], m = n): Problem => ({
  op: 'matmul',
  shape: { m, n, k: n },
  dtype,
});

test('what a data sheet allows is the slower of its operations and its bytes', () => {
  expect(dataSheetTime(H200, product(8192, 'f32'))?.bound).toBe('compute');
  expect(dataSheetTime(H200, product(8192, 'f32', 1))?.bound).toBe('bandwidth');
  expect(dataSheetTime({ ...H200, device: 'Some GPU' }, product(8192, 'f32'))).toBeNull();
});

test('a data sheet bounds bytes of any type, and operations in f32 alone', () => {
  expect(dataSheetTime(H200, product(8192, 'i32'))).toBeNull();
  expect(dataSheetTime(H200, product(8192, 'f16'))).toBeNull();
  expect(dataSheetTime(H200, product(8192, 'f16acc16'))).toBeNull();
  expect(dataSheetTime(H200, product(8192, 'f16', 1))?.bound).toBe('bandwidth');
});

test('a share is of the peak that was measured, else of the data sheet', () => {
  const problem = product(8192, 'f32');
  const of = { device: { name: H200.device, class: H200.class }, medianNs: 20e6, problem };
  const roof = { ns: 10e6, bound: 'compute' } as const;
  expect(peakShare({ ...of, roof })).toEqual({ share: 0.5, bound: 'compute' });
  const sheet = peakShare({ ...of, roof: null });
  expect(sheet?.bound).toBe('by data sheet');
  expect(sheet?.share).toBeCloseTo(0.82, 2);
  const unknown = { name: 'Some GPU', class: 'gpu' } as const;
  expect(peakShare({ ...of, device: unknown })).toBeNull();
});
