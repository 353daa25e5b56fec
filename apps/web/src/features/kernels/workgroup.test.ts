import { KERNELS } from '@tilemark/kernels';
import { expect, it } from 'vitest';
import { sizeTunables, threadsOf } from './workgroup';

it('counts the threads of a workgroup as the kernel declares them', () => {
  expect(threadsOf({ kernel: 'matmul/tiled', tunables: { TILE: 8 } }, 'f32')).toBe(64);
  expect(threadsOf({ kernel: 'matmul/cpu-naive', tunables: {} }, 'f32')).toBeNull();
  expect(threadsOf({ kernel: 'matmul/gone', tunables: {} }, 'f32')).toBeNull();
});

it('tells the tunables that size a workgroup from the others', () => {
  expect([...sizeTunables('matmul/tiled')]).toEqual(['TILE']);
  expect([...sizeTunables('matmul/naive')]).toEqual(['BLOCK']);
  for (const { id } of KERNELS) expect(sizeTunables(id)).toBeInstanceOf(Set);
});
