import {
  admitKernel,
  type Checked,
  kernelTemplate,
  type Measure,
} from '@tilemark/core/contributed';
import type { Problem } from '@tilemark/kernels';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { useBundle } from '../../bundle.test-helper';
import { Runner } from '../../child/runner';
import { hintsOf } from './hint';

const bundle = useBundle();
let runner: Runner;
beforeAll(() => {
  runner = new Runner({ entry: bundle.child, device: '0' });
});
afterAll(() => runner.close());

const FEW = ['1x1x1', '1x12x7', '17x31x5', '16x8x8', '9x4x1', '9x9x4', '6x3x6', '5x1x9'];

/** Strides of a naive kernel, each taken for another side. */
it.each([
  ['A[row * shape.k', 'A[row * shape.n', 'n = k or m is 1', 'n for the stride of A'],
  ['A[row * shape.k', 'A[row * shape.m', 'm = k or m is 1', 'm for the stride of A'],
  ['B[p * shape.n', 'B[p * shape.k', 'n = k or k is 1', 'k for the stride of B'],
  ['B[p * shape.n', 'B[p * shape.m', 'm = n or k is 1', 'm for the stride of B'],
  ['C[row * shape.n', 'C[row * shape.k', 'n = k or m is 1', 'k for the stride of C'],
  ['C[row * shape.n', 'C[row * shape.m', 'm = n or m is 1', 'm for the stride of C'],
])('of %s as %s it is told where that is right', async (from, to, where, mistake) => {
  const source = kernelTemplate('strides').replace(from, to);
  const contributed = await admitKernel({ author: 'ada', source });
  const measure: Measure = async (variant, problem, policy) => {
    const { outcome } = await runner.run({ variant, problem, policy, profile: 'default' });
    return { variant, problem, outcome };
  };
  const checked: Checked[] = [];
  for (const text of FEW) {
    const [m = 1, n = 1, k = 1] = text.split('x').map(Number);
    const problem: Problem = { op: 'matmul', shape: { m, n, k }, dtype: 'f32' };
    checked.push(await measure({ kernel: contributed.kernel.id, tunables: {} }, problem, 'smoke'));
  }
  const hints = await hintsOf(checked, contributed, measure);
  expect(hints).toEqual([`right where ${where}: does it take ${mistake}?`]);
});
