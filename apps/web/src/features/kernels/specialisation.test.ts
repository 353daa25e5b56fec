import { type GpuKernel, KERNELS, resolveVariant } from '@tilemark/kernels';
import { expect, it } from 'vitest';
import { paragraphOf } from './specialisation';

const of = (id: string) => {
  const { definition, tunables } = resolveVariant(id, {});
  return paragraphOf(definition as GpuKernel, tunables, 'f32');
};

it('is the first paragraph of the file’s heading', () => {
  expect(of('matmul/tiled')).toMatch(/^A workgroup computes one TILE × TILE block.* TILE uses\.$/);
  expect(of('transpose/multi-row')).toMatch(/^The padded tile moved by fewer threads/);
});

it('is a sentence of its own for every kernel that has one', () => {
  for (const kernel of KERNELS) {
    if (kernel.runsOn !== 'gpu') continue;
    const text = of(kernel.id);
    if (text !== null) expect(text, kernel.id).toMatch(/^[A-Z].*\.$/);
  }
});
