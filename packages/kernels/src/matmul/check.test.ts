import { describe, expect, test } from 'vitest';
import type { Problem } from '../problem';
import type { Tensor } from '../scalar';
import { inputTensors } from '../verify/inputs';
import { outputCheck } from '../verify/verify';
import { referenceMatmul } from './product.test-helper';

describe.each([
  ['whole', 'f32', { b: 3, m: 20, n: 30, k: 40 }],
  ['exact', 'i32', { b: 3, m: 20, n: 30, k: 40 }],
  // Each product alone would be compared whole; together they are above what is.
  ['freivalds', 'f32', { b: 6, m: 200, n: 180, k: 190 }],
] as const)('a batch, %s in %s', (method, dtype, shape) => {
  const { b: batch, m, n, k } = shape;
  const problem: Problem = { op: 'matmul', shape, dtype };
  const inputs = inputTensors(problem, { seed: 3 });
  const [a, b] = inputs as [Tensor, Tensor];
  const right = Array.from({ length: batch }, (_, i) => [
    ...referenceMatmul({ m, n, k }, a.subarray(i * m * k), b.subarray(i * k * n)),
  ]).flat();
  const output = dtype === 'i32' ? Int32Array.from(right) : Float32Array.from(right);
  const check = outputCheck(problem, inputs, { secret: 5 });

  test('passes what is right, all of it', () => {
    const rows = method === 'freivalds';
    const checked = batch * m * (rows ? 1 : n);
    expect(check(output)).toMatchObject({ method, checked, worst: null, beyond: 0 });
  });

  test('catches one wrong element of one product, and names its row in the batch', () => {
    const wrong = output.slice();
    const at = 2 * m * n + 7 * n + 11;
    wrong[at]! += 100;
    expect(check(wrong).worst).toMatchObject({ row: 2 * m + 7, col: 11, got: wrong[at] });
  });

  test('catches the first product in place of the others', () => {
    const wrong = output.slice();
    for (let i = 1; i < batch; i++) wrong.copyWithin(i * m * n, 0, m * n);
    expect(check(wrong).worst?.row).toBeGreaterThanOrEqual(m);
  });
});
