import { shippedReference } from '@tilemark/core';
import { expect, test } from 'vitest';
import { librariesText, libraryRates, near, ratesOn } from './library-lines';

const problem = { op: 'matmul', dtype: 'f32', shape: { m: 4096, n: 4096, k: 4096 } } as const;

test('libraries stand beside devices of the hardware that they ran on, and no kernel or report with them', () => {
  const rates = libraryRates(shippedReference(), new Set(['NVIDIA H200']));
  expect(ratesOn(rates, problem).map(({ name }) => name)).toEqual([
    'cuBLAS',
    'TensorFlow.js',
    'jax-js',
  ]);
  expect(libraryRates(shippedReference(), new Set(['NVIDIA H100']))).toEqual([]);
});

test('a library that would flatten the rest is named, and not drawn', () => {
  const at = (name: string, rate: number) => ({ name, hardware: 'NVIDIA H200', problem, rate });
  const all = [at('TensorFlow.js', 2_000), at('cuBLAS', 2_001)];
  const drawn = near(all, 1_000);
  expect(drawn.map(({ name }) => name)).toEqual(['TensorFlow.js']);
  expect(librariesText(all, drawn)).toMatch(/^\. Dashed: .*\. Off the scale: cuBLAS$/);
  expect(librariesText([], [])).toBe('');
});
