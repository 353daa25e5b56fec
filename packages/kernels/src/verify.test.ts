import { describe, expect, test } from 'vitest';
import { type InputMode, inputTensors } from './inputs';
import type { Tensor } from './kernel';
import { referenceMatmul } from './matmul/reference';
import type { MatmulProblem, Problem, TransposeProblem } from './problem';
import { referenceTranspose } from './transpose/reference';
import { type OutputCheck, outputCheck, type VerifyMethod, verify } from './verify';

const product = (n: number, dtype: Problem['dtype'] = 'f32', k = n): MatmulProblem => ({
  op: 'matmul',
  shape: { m: n, n, k },
  dtype,
});

/** C = A B as a right kernel leaves it, each sum rounded once to the dtype. */
function rightOutput(problem: MatmulProblem, [a, b]: readonly Tensor[]): Tensor {
  if (!a || !b) throw new Error('two inputs');
  const exact = referenceMatmul(problem.shape, a, b);
  return problem.dtype === 'i32' ? Int32Array.from(exact) : Float32Array.from(exact);
}

interface Case {
  readonly problem: MatmulProblem;
  readonly method: VerifyMethod;
  readonly inputs: readonly Tensor[];
  readonly right: Tensor;
  readonly exact: boolean;
  /** The output of other inputs, as the run before left it. */
  readonly other: () => Tensor;
}

function caseOf(problem: MatmulProblem, method: VerifyMethod, mode: InputMode = 'uniform'): Case {
  const inputs = inputTensors(problem, { seed: 3, mode });
  const right = rightOutput(problem, inputs);
  const other = () => rightOutput(problem, inputTensors(problem, { seed: 4, mode }));
  return { problem, method, inputs, right, exact: mode === 'exact', other };
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
  const made = { problem, method: 'freivalds', inputs: [a, b], exact: false } as const;
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

/** Errors that kernels make, each done to a right output. */
const MUTATIONS: Record<string, (c: Case, out: Tensor) => void> = {
  'a dropped K step': ({ problem, inputs }, out) => {
    const { m, n, k } = problem.shape;
    const [a, b] = inputs as [Tensor, Tensor];
    const p = k - 1;
    for (let row = 0; row < m; row++) {
      for (let col = 0; col < n; col++) {
        out[row * n + col]! -= a[row * k + p]! * b[p * n + col]!;
      }
    }
  },
  'a dropped K step in one element': ({ problem, inputs }, out) => {
    const { n, k } = problem.shape;
    const [a, b] = inputs as [Tensor, Tensor];
    const [row, col] = [45, 39];
    out[row * n + col]! -= a[row * k + 5]! * b[5 * n + col]!;
  },
  'swapped indices': ({ problem }, out) => {
    const { n } = problem.shape;
    const before = out.slice();
    for (let row = 0; row < n; row++) {
      for (let col = 0; col < n; col++) out[row * n + col] = before[col * n + row]!;
    }
  },
  'swapped indices in one tile': ({ problem }, out) => {
    const { n } = problem.shape;
    const before = out.slice();
    for (let row = 0; row < 16; row++) {
      for (let col = 0; col < 16; col++) {
        out[(32 + row) * n + 32 + col] = before[(32 + col) * n + 32 + row]!;
      }
    }
  },
  'one wrong tile': ({ problem }, out) => {
    const { n } = problem.shape;
    for (let row = 40; row < 48; row++)
      out.copyWithin(row * n + 40, (row - 8) * n + 32, (row - 8) * n + 40);
  },
  'one unwritten element': (_case, out) => {
    out[out.length - 700] = out instanceof Int32Array ? 0x7fc1_7fc1 : Number.NaN;
  },
  'one infinity': ({ problem }, out) => {
    if (problem.dtype !== 'i32') out[777] = Number.POSITIVE_INFINITY;
    else out[777]! += 1;
  },
  'nothing written': (_case, out) => {
    out.fill(out instanceof Int32Array ? 0x7fc1_7fc1 : Number.NaN);
  },
  'the output of the run before': ({ other }, out) => out.set(other()),
};

describe.each([
  ['the whole product at 64', () => caseOf(product(64), 'whole')],
  ['half precision at 64', () => caseOf(product(64, 'f16'), 'whole')],
  ['i32 at 64', () => caseOf(product(64, 'i32'), 'exact')],
  ['integers in f32 at 64', () => caseOf(product(64), 'exact', 'exact')],
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
    const { problem, inputs, exact } = shared();
    checkMade ??= outputCheck(problem, inputs, { exact });
    return checkMade;
  };

  test('passes what is right', () => {
    const { right, exact, method } = shared();
    const verdict = check()(right);
    expect(verdict.worst).toBeNull();
    expect(verdict.method).toBe(method);
    expect(verdict.worstRatio).toBeLessThanOrEqual(exact ? 0 : 1);
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

/** C as a naive kernel leaves it: in order, rounded after every step. */
function sequentialF32({ shape: { m, n, k } }: MatmulProblem, [a, b]: [Tensor, Tensor]): Tensor {
  const out = new Float32Array(m * n);
  for (let row = 0; row < m; row++) {
    for (let p = 0; p < k; p++) {
      const factor = a[row * k + p]!;
      for (let col = 0; col < n; col++) {
        const at = row * n + col;
        out[at] = Math.fround(out[at]! + Math.fround(factor * b[p * n + col]!));
      }
    }
  }
  return out;
}

test('Freivalds keeps sums in f32 order within its bound', () => {
  // Rounded after every step, in the order a naive kernel adds.
  const problem = product(700, 'f32', 600);
  const inputs = inputTensors(problem, { seed: 9 }) as [Tensor, Tensor];
  const verdict = verify(problem, inputs, sequentialF32(problem, inputs));
  expect(verdict).toMatchObject({ method: 'freivalds', worst: null });
  expect(verdict.worstRatio).toBeGreaterThan(0.05);
});

describe('sums of positive numbers', () => {
  // Their errors all have the size of the sum: no random walk around zero.
  const problem = product(100, 'f32', 3000);
  const inputs = inputTensors(problem, { seed: 9 }).map((input) => input.map(Math.abs));
  const out = sequentialF32(problem, inputs as [Tensor, Tensor]);

  test('pass the bound for any data', () => {
    const { worst, worstRatio } = verify(problem, inputs, out, { anyData: true });
    expect(worst).toBeNull();
    expect(worstRatio).toBeGreaterThan(0.01);
  });

  test.each(['a dropped K step', 'one unwritten element', 'swapped indices in one tile'])(
    'do not with %s',
    (name) => {
      const spoilt = out.slice();
      MUTATIONS[name]?.({ problem, inputs } as unknown as Case, spoilt);
      expect(verify(problem, inputs, spoilt, { anyData: true }).worst).not.toBeNull();
    },
  );
});

describe('a transpose', () => {
  const problem: TransposeProblem = {
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
  expect(() => verify(problem, inputs, new Float32Array(63))).toThrow('63 elements');
  expect(() => verify(problem, inputs.slice(0, 1), new Float32Array(64))).toThrow('2 inputs');
});

/** A value rounded to half precision. */
function toHalf(value: number): number {
  if (value === 0) return 0;
  const step = 2 ** (Math.max(Math.floor(Math.log2(Math.abs(value))), -14) - 10);
  return Math.round(value / step) * step;
}

type Skip = (row: number, p: number) => boolean;

/** Summed in order of p, each sum rounded to f16; `skip` leaves steps out. */
function sequentialF16(
  { shape: { m, n, k } }: MatmulProblem,
  [a, b]: readonly [Tensor, Tensor],
  skip: Skip = () => false,
): Float32Array {
  return Float32Array.from({ length: m * n }, (_, at) => {
    const row = Math.floor(at / n);
    let sum = 0;
    for (let p = 0; p < k; p++) {
      if (!skip(row, p)) sum = toHalf(sum + a[row * k + p]! * b[p * n + (at % n)]!);
    }
    return sum;
  });
}

describe('sums in f16', () => {
  const problem = product(96, 'f16acc16', 1024);
  const inputs = inputTensors(problem, { seed: 3 });
  const [a, b] = inputs as [Tensor, Tensor];
  const summed = (skip?: Skip) => sequentialF16(problem, [a, b], skip);

  test('pass with their own dtype, and not as sums in f32', () => {
    expect(verify(problem, inputs, summed()).worst).toBeNull();
    expect(verify({ ...problem, dtype: 'f16' }, inputs, summed()).worst).not.toBeNull();
  });

  test('fail where 16 steps are left out of one tile', () => {
    const dropped = summed((row, p) => row >= 32 && row < 48 && p >= 1008);
    expect(verify(problem, inputs, dropped).worst).not.toBeNull();
  });
});

describe('sums of positive numbers in f16', () => {
  const problem = product(64, 'f16acc16', 96);
  const [a, b] = inputTensors(problem, { seed: 9 }).map((each) => each.map(Math.abs)) as [
    Tensor,
    Tensor,
  ];
  const check = (dtype: 'f16' | 'f16acc16', out: Tensor) =>
    verify({ ...problem, dtype }, [a, b], out, { anyData: true }).worst;

  test('pass the bound for any data with their own dtype, and not as sums in f32', () => {
    const out = sequentialF16(problem, [a, b]);
    expect(check('f16acc16', out)).toBeNull();
    expect(check('f16', out)).not.toBeNull();
    const rounded = rightOutput(problem, [a, b]).map(toHalf);
    expect(check('f16', rounded)).toBeNull();
  });

  test('do not with 16 steps left out of one tile', () => {
    const dropped = sequentialF16(problem, [a, b], (row, p) => row >= 32 && row < 48 && p >= 80);
    expect(check('f16acc16', dropped)).toMatchObject({ row: expect.any(Number) });
  });
});

test('a bound that grows is by the largest norms, and still finds a dropped step', () => {
  const problem = product(64);
  const [a, b] = inputTensors(problem, { seed: 3 }) as [Tensor, Tensor];
  // A row of A next to nothing: its own norm would bound it, the matrix' does not.
  a.fill(1e-6, 0, 64);
  const right = rightOutput(problem, [a, b]);
  const off = right.slice();
  off[5]! += 1e-5;
  expect(verify(problem, [a, b], off).worst).toMatchObject({ row: 0, col: 5 });
  expect(verify(problem, [a, b], off, { errorGrowth: 3 }).worst).toBeNull();
  const dropped = right.slice();
  dropped[700]! -= a[10 * 64 + 7]! * b[7 * 64 + 60]!;
  expect(verify(problem, [a, b], dropped, { errorGrowth: 3 }).worst).toMatchObject({ row: 10 });
});
