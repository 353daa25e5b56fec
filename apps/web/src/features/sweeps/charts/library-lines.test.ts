import { shippedReference } from '@tilemark/core';
import { expect, test } from 'vitest';
import { librariesText, libraryItem, libraryRates, ratesOn } from './library-lines';

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

test('a library that would flatten the rest waits in the legend', () => {
  const near = libraryItem('TensorFlow.js', 'red', 2_000, 1_000);
  const far = libraryItem('cuBLAS', 'blue', 2_001, 1_000);
  expect([near.isOff, far.isOff]).toEqual([false, true]);
  expect(librariesText([])).toBe('');
  expect(librariesText([near])).toContain('for comparison only');
});
