import { parseVariant, variantAddress } from '@tilemark/kernels';
import { expect, it } from 'vitest';
import { shortAddress } from './address';

it('stands for the same variant', () => {
  const address = variantAddress({
    kernel: 'matmul/tiled',
    tunables: { TILE: 8, A_LAYOUT: 'col' },
  });
  expect(shortAddress(address)).toBe('matmul/tiled[TILE=8,A_LAYOUT=col]');
  expect(parseVariant(shortAddress(address)).address).toBe(address);
});

it('is the kernel alone where nothing was chosen, and whole for a kernel that is gone', () => {
  expect(shortAddress(variantAddress({ kernel: 'matmul/tiled', tunables: {} }))).toBe(
    'matmul/tiled',
  );
  expect(shortAddress('matmul/gone[X=1]')).toBe('matmul/gone[X=1]');
});
