import { describe, expect, test } from 'vitest';
import {
  MUTATIONS,
  product,
  type RightProduct,
  referenceMatmul,
  rightOutput,
  verify,
} from '../matmul/product.test-helper';
import { EXACT, type Rounding } from '../problem/dtype';
import type { Problem } from '../problem/problem';
import type { Tensor } from '../problem/scalar';
import type { InputMode } from './fills';
import { inputTensors } from './inputs';
import type { OutputCheck, VerifyMethod } from './verification';
import { outputCheck } from './verify';

interface Case extends RightProduct {
  readonly method: VerifyMethod;
  readonly right: Tensor;
  readonly rounding: Rounding | undefined;
}

function caseOf(
  problem: Problem<'matmul'>,
  method: VerifyMethod,
  mode: InputMode = 'uniform',
): Case {
  const inputs = inputTensors(problem, { seed: 3, mode });
  const right = rightOutput(problem, inputs);
  const other = () => rightOutput(problem, inputTensors(problem, { seed: 4, mode }));
  return {
    problem,
    method,
    inputs,
    right,
    rounding: mode === 'integers' ? EXACT : undefined,
    other,
  };
}

describe.each([
  ['the whole product at 64', () => caseOf(product(64), 'whole')],
  ['half precision at 64', () => caseOf(product(64, 'f16'), 'whole')],
  ['i32 at 64', () => caseOf(product(64, 'i32'), 'exact')],
  ['integers in f32 at 64', () => caseOf(product(64), 'exact', 'integers')],
  [
    'a product whose reference is not kept, at 2049',
    () => caseOf(product(2049, 'f32', 16), 'whole'),
  ],
] as const)('%s', (_name, make) => {
  let made: Case | undefined;
  const shared = () => {
    made ??= make();
    return made;
  };

  let checkMade: OutputCheck | undefined;
  const check = () => {
    const { problem, inputs, rounding } = shared();
    checkMade ??= outputCheck(problem, inputs, { rounding });
    return checkMade;
  };

  test('passes what is right', () => {
    const { right, rounding, method } = shared();
    const verdict = check()(right);
    expect(verdict.worst).toBeNull();
    expect(verdict.method).toBe(method);
    expect(verdict.worstRatio).toBeLessThanOrEqual(rounding ? 0 : 1);
  });

  test.each(Object.keys(MUTATIONS))('catches %s', (name) => {
    const c = shared();
    const out = c.right.slice();
    MUTATIONS[name]?.(c, out);
    const { worst, worstRatio } = check()(out);
    expect(worst).not.toBeNull();
    expect(worstRatio).toBeGreaterThan(1);
    const at = (worst?.row ?? 0) * c.problem.shape.n + (worst?.col ?? 0);
    // The element named is one that was changed, with the value found there.
    expect(out[at]).not.toBe(c.right[at]);
    expect(String(worst?.got)).toBe(String(out[at]));
  });
});

describe('a transpose', () => {
  const problem: Problem<'transpose'> = {
    op: 'transpose',
    shape: { rows: 70, cols: 33 },
    dtype: 'f32',
  };
  const inputs = inputTensors(problem, { seed: 1 });
  const right = inputs[0]!.map((_, at) => inputs[0]![(at % 70) * 33 + Math.floor(at / 70)]!);

  test('is compared bit for bit', () => {
    expect(verify(problem, inputs, right)).toMatchObject({
      method: 'exact',
      checked: 70 * 33,
      worst: null,
    });
    const out = right.slice();
    out[5 * 70 + 3]! += 1e-6;
    expect(verify(problem, inputs, out).worst).toMatchObject({ row: 5, col: 3 });
  });

  test('left undone is caught, and is what a copy must be', () => {
    expect(verify(problem, inputs, inputs[0]!).worst).not.toBeNull();
    expect(verify(problem, inputs, inputs[0]!, { computes: 'copy' }).worst).toBeNull();
    expect(verify(problem, inputs, right, { computes: 'copy' }).worst).not.toBeNull();
  });

  test('with an element unwritten names it', () => {
    const out = right.slice();
    out[7] = Number.NaN;
    expect(verify(problem, inputs, out).worst).toMatchObject({ row: 0, col: 7, got: 'NaN' });
  });
});

describe.each([
  ['whole', 'f32'],
  ['exact', 'i32'],
] as const)('a batch, %s in %s', (method, dtype) => {
  const shape = { b: 3, m: 20, n: 30, k: 40 };
  const { b: batch, m, n, k } = shape;
  const problem: Problem = { op: 'matmul', shape, dtype };
  const inputs = inputTensors(problem, { seed: 3 });
  const [a, b] = inputs as [Tensor, Tensor];
  const right = Array.from({ length: batch }, (_, i) => [
    ...referenceMatmul({ m, n, k }, a.subarray(i * m * k), b.subarray(i * k * n)),
  ]).flat();
  const output = dtype === 'i32' ? Int32Array.from(right) : Float32Array.from(right);
  const check = outputCheck(problem, inputs);

  test('passes what is right, all of it', () => {
    const checked = batch * m * n;
    expect(check(output)).toMatchObject({ method, checked, worst: null, beyond: 0 });
  });

  test('catches one wrong element of one product, and names its row in the batch', () => {
    const wrong = output.slice();
    const at = 2 * m * n + 7 * n + 11;
    wrong[at]! += 100;
    expect(check(wrong).worst).toMatchObject({ row: 2 * m + 7, col: 11, got: wrong[at] });
    // Of some rows, if they are among them.
    const { checked, worst } = check(wrong, { first: 2 * m, end: 2 * m + 8 });
    expect([checked, worst?.row]).toEqual([8 * n, 2 * m + 7]);
    expect(check(wrong, { first: 0, end: 2 * m + 7 }).worst).toBeNull();
  });

  test('catches the first product in place of the others', () => {
    const wrong = output.slice();
    for (let i = 1; i < batch; i++) wrong.copyWithin(i * m * n, 0, m * n);
    expect(check(wrong).worst?.row).toBeGreaterThanOrEqual(m);
  });
});

test('an output of the wrong size is refused', () => {
  const problem = product(8);
  const inputs = inputTensors(problem, { seed: 1 });
  expect(() => verify(problem, inputs, new Float32Array(63))).toThrow(
    'must have 64 elements, not 63',
  );
  expect(() => verify(problem, inputs.slice(0, 1), new Float32Array(64))).toThrow('2 inputs');
});
