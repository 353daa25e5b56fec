import { kernelById } from '@tilemark/kernels';
import { expect, it } from 'vitest';
import { benchSpec } from './bench/spec';
import { problemOf } from './flags';

it('kernels run in a dtype that they take, unless another is asked for', () => {
  const naive = kernelById('matmul/naive');
  const halves = { ...naive, dtypes: ['f16acc16', 'f16'] } as const;
  const dtypeOf = (kernels: readonly (typeof naive)[], dtype?: 'i32') =>
    problemOf('matmul', { shape: '64', ...(dtype && { dtype }) }, kernels).dtype;
  expect(dtypeOf([naive])).toBe('f32');
  expect(dtypeOf([naive, halves])).toBe('f16acc16');
  expect(dtypeOf([halves], 'i32')).toBe('i32');
  const { cases } = benchSpec({ kernel: ['matmul/naive'], shape: '64' });
  expect(cases.map(({ dtypes }) => dtypes)).toEqual([['f32']]);
});
