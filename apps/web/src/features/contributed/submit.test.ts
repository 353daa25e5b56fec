import { kernelTemplate } from '@tilemark/core';
import { expect, test } from 'vitest';
import { read } from './problems';
import { shapesIn, submitKernel } from './submit';

test('a kernel that no device takes is refused at the devices, before it is kept', async () => {
  const draft = { source: kernelTemplate('my-matmul') };
  const { kernel } = read(draft);
  const shapes = shapesIn('matmul', '64');
  await expect(
    submitKernel({ draft, kernel: kernel!, shapes, dtype: 'f32', chosen: [], able: [] }),
  ).rejects.toMatchObject({ field: 'devices' });
});
