import { describe, expect, test } from 'vitest';
import { EXACT, type Rounding } from '../dtype';
import {
  MUTATIONS,
  product,
  type RightProduct,
  rightOutput,
  verify,
} from '../matmul/product.test-helper';
import type { Problem } from '../problem';
import type { Tensor } from '../scalar';
import { referenceTranspose } from '../transpose/reference';
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

/**
 * A product of 2048^3 in a second: B = D H E with H the Hadamard matrix of signs and D, E
 * diagonal, so B is dense and of full rank, and A B takes O(n^2 log n) to make. The factors
 * have 10 bits each: B is exact in f32.
 */
function largeCase(n: number): Case {
  const problem = product(n);
  const tenBits = (seed: number) =>
    inputTensors(product(n, 'f32', 1), { seed })[0]!.map((value) => Math.round(value * 512) / 512);
  const [d, e] = [tenBits(5), tenBits(6)];
  const b = new Float32Array(n * n);
  for (let p = 0; p < n; p++) {
    const row = Float64Array.from({ length: n }, (_, col) => Number(col === p) * d[p]!);
    b.set(
      hadamard(row).map((value, col) => value * e[col]!),
      p * n,
    );
  }
  const times = (a: Tensor): Float32Array => {
    const out = new Float32Array(n * n);
    for (let row = 0; row < n; row++) {
      const scaled = Float64Array.from(d, (factor, p) => a[row * n + p]! * factor);
      out.set(
        hadamard(scaled).map((value, col) => value * e[col]!),
        row * n,
      );
    }
    return out;
  };
  const [a] = inputTensors(problem, { seed: 3 }) as [Tensor, Tensor];
  const [otherA] = inputTensors(problem, { seed: 4 }) as [Tensor, Tensor];
  const made = { problem, method: 'freivalds', inputs: [a, b], rounding: undefined } as const;
  return { ...made, right: times(a), other: () => times(otherA) };
}

/** The product of a row with the Hadamard matrix, in place; its length is a power of two. */
function hadamard(row: Float64Array): Float64Array {
  for (let half = 1; half < row.length; half *= 2) {
    for (let i = 0; i < row.length; i++) {
      if (i & half) continue;
      const [x, y] = [row[i]!, row[i + half]!];
      row[i] = x + y;
      row[i + half] = x - y;
    }
  }
  return row;
}

describe.each([
  ['the whole product at 64', () => caseOf(product(64), 'whole')],
  ['half precision at 64', () => caseOf(product(64, 'f16'), 'whole')],
  ['i32 at 64', () => caseOf(product(64, 'i32'), 'exact')],
  ['integers in f32 at 64', () => caseOf(product(64), 'exact', 'integers')],
  // 700^3 is above what is compared whole.
  ['Freivalds at 700', () => caseOf(product(700), 'freivalds')],
  ['Freivalds in i32 at 700', () => caseOf(product(700, 'i32'), 'freivalds')],
  ['Freivalds at 2048', () => largeCase(2048)],
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

describe('rows and columns where tiles of a large product begin and end', () => {
  const n = 700;
  const problem = product(n);
  const inputs = inputTensors(problem, { seed: 3 });
  const right = rightOutput(problem, inputs);
  const check = outputCheck(problem, inputs);
  // |a| |b| is near n / 3: twice the bound of an element, half of what Freivalds notices.
  const error = (32 * 2 ** -24 * n) / 3;

  test.each([0, 15, 16, 63, 64, 127, 128, 350, 699])('are compared by element: %d', (edge) => {
    for (const [row, col] of [
      [edge, 300],
      [300, edge],
    ] as const) {
      const out = right.slice();
      out[row * n + col]! += error;
      expect(check(out).worst).toMatchObject({ row, col });
    }
  });
});

describe('a transpose', () => {
  const problem: Problem<'transpose'> = {
    op: 'transpose',
    shape: { rows: 70, cols: 33 },
    dtype: 'f32',
  };
  const inputs = inputTensors(problem, { seed: 1 });
  const right = referenceTranspose(problem.shape, inputs[0]!);

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

test('an output of the wrong size is refused', () => {
  const problem = product(8);
  const inputs = inputTensors(problem, { seed: 1 });
  expect(() => verify(problem, inputs, new Float32Array(63))).toThrow(
    'must have 64 elements, not 63',
  );
  expect(() => verify(problem, inputs.slice(0, 1), new Float32Array(64))).toThrow('2 inputs');
});
