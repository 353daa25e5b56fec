import { kernelTemplate } from '@tilemark/core/contributed';
import { expect, test } from 'vitest';
import { kernelRequestSchema } from './submit';

const form = {
  source: kernelTemplate('my-matmul'),
  manifest: '',
  shapes: '64',
  devices: [],
  dtype: 'f32' as const,
  from: null,
};

test.each([
  ['a kernel that no device takes', [], form, 'devices'],
  ['a source without a manifest', ['a'], { ...form, source: 'fn main() {}' }, 'source'],
  ['no shape', ['a'], { ...form, shapes: ' ' }, 'shapes'],
  ['an invalid shape', ['a'], { ...form, shapes: '64y' }, 'shapes'],
])('%s is refused at its control, before anything is kept', (_, able, asked, control) => {
  const { error } = kernelRequestSchema(able).safeParse(asked);
  expect(error?.issues.map(({ path }) => path)).toEqual([[control]]);
});

test('a dtype that the kernel does not compute is replaced by its first', () => {
  expect(kernelRequestSchema(['a']).parse({ ...form, dtype: 'f16' })).toMatchObject({
    dtype: 'f32',
    shapes: [{ m: 64, n: 64, k: 64 }],
  });
});
