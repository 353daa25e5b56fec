import { describe, expect, test } from 'vitest';
import { OutOfBoundsWrite } from '../errors';
import type { GpuKernel } from '../kernel/kernel';
import { KERNELS } from '../kernel/registry';
import { naive as ours } from '../matmul/01-naive';
import { plain } from '../matmul/plain.test-helper';
import { idsOf } from '../problem/dtype';
import type { Problem } from '../problem/problem';
import { REGIMES, type Regime } from '../problem/regime';
import { faultOf } from '../problem/shape';
import { naive as naiveTranspose } from '../transpose/01-naive';
import { fillsOf, type InputMode } from '../verify/fills';
import { storedBytes } from '../verify/stored.test-helper';
import { BufferUsage, download } from './buffers';
import { useExecutor } from './dawn.test-helper';
import { Filler } from './fill';
import { Pipelines } from './pipelines';
import { DeviceWatch } from './watch';

const gpu = useExecutor();
const naive: GpuKernel = plain;
type Dtype = Problem['dtype'];

const product = (m: number, n: number, k: number, dtype: Dtype, b?: number): Problem => ({
  op: 'matmul',
  shape: { ...(b !== undefined && { b }), m, n, k },
  dtype,
});
const transposed = (dtype: Dtype): Problem => ({
  op: 'transpose',
  shape: { rows: 37, cols: 70 },
  dtype,
});

/** A naive kernel with one change of its source. */
function changed(base: GpuKernel, from: string | RegExp, to: string, more = ''): GpuKernel {
  const wgsl = `${String(base.wgsl).replace(from, to)}${more}`;
  if (wgsl === base.wgsl) throw new Error(`nothing in ${base.id} reads ${from}`);
  return { ...base, id: `${base.op}/changed`, wgsl, dtypes: ['f32', 'i32', 'f16', 'f16acc16'] };
}

/** What the usual inputs say of a kernel, and what the others do. */
async function tried(kernel: GpuKernel, problem: Problem) {
  const kernels = KERNELS as GpuKernel[];
  kernels.push(kernel);
  const options = { seed: 11, bufferSets: 1 };
  const prepared = await gpu.executor
    .prepare({ kernel: kernel.id, tunables: {} }, problem, options)
    .finally(() => kernels.pop());
  try {
    await prepared.poison('nan');
    await prepared.sample({ dispatches: 1, rotate: false });
    const usual = await prepared.verify([0]);
    const others = await prepared.verifyRegimes();
    // The usual inputs are there again.
    await prepared.poison('nan');
    await prepared.sample({ dispatches: 1, rotate: false });
    expect((await prepared.verify([0])).beyond).toBe(usual.beyond);
    return {
      usual: usual.worst === null,
      regimes: others.map(({ words }) => words),
      wrongOn: others.flatMap(({ words, verdict }) => (verdict.worst ? [words] : [])),
    };
  } finally {
    prepared.destroy();
  }
}

const SUM = 'sum += Acc(A[row * shape.k + p]) * Acc(B[p * shape.n + col]);';
const STORE = 'C[row * shape.n + col] = T(sum);';
const INTEGERS = 'integers, whose sums are exact';
const SCALED = 'zeros, powers of two and values far from 1';
const BITS = 'inputs of any bits';
const SIGNED = 'inputs of one sign, with nothing bound behind the tensors';
const WITH_ROOM = 'arrayLength(&C) >= shape.m * shape.n + 1024u';

describe('a kernel that is right on the usual inputs is caught', () => {
  // Sums in f16 may round as much, so these sum in f32.
  const inF32 = changed(naive, 'var sum = Acc(0);', 'var sum = 0.0;');
  const sumF32 = (end: string) =>
    changed(
      changed(inF32, SUM, 'sum += f32(A[row * shape.k + p]) * f32(B[p * shape.n + col]);'),
      'p < shape.k',
      `p < ${end}`,
    );
  const short = (value: string) =>
    `bitcast<f32>((bitcast<u32>(f32(${value})) + 0x80000u) & 0xfff00000u)`;
  test.each<[string, GpuKernel, Problem, string[]]>([
    [
      'the last product dropped',
      sumF32('shape.k - 1u'),
      product(9, 7, 4096, 'f16acc16'),
      [INTEGERS, SIGNED],
    ],
    [
      '16 products dropped',
      sumF32('shape.k - 16u'),
      product(9, 7, 16_384, 'f16acc16'),
      [INTEGERS, SIGNED],
    ],
    [
      'the last product of the longest sums dropped',
      sumF32('shape.k - 1u'),
      product(33, 31, 100_000, 'f16acc16'),
      [INTEGERS],
    ],
    [
      'operands of 4 bits',
      changed(
        inF32,
        SUM,
        `sum += ${short('A[row * shape.k + p]')} * ${short('B[p * shape.n + col]')};`,
      ),
      product(9, 7, 16_384, 'f16acc16'),
      [SCALED],
    ],
    [
      'a result that is clamped',
      changed(naive, 'T(sum)', 'T(clamp(sum, Acc(-100), Acc(100)))'),
      product(9, 7, 65, 'f32'),
      [INTEGERS, SCALED, SIGNED],
    ],
    [
      'inputs that are clamped',
      changed(
        naive,
        'Acc(A[row * shape.k + p])',
        'clamp(Acc(A[row * shape.k + p]), Acc(-1), Acc(1))',
      ),
      product(9, 7, 65, 'f16'),
      [INTEGERS, SCALED, SIGNED],
    ],
    [
      'a sum that ends at a zero',
      changed(naive, SUM, `if (A[row * shape.k + p] == T(0)) { break; } ${SUM}`),
      product(9, 7, 65, 'f32'),
      [SCALED, SIGNED],
    ],
    [
      'a zero taken for what is missing',
      changed(
        naive,
        'Acc(B[p * shape.n + col])',
        'select(Acc(B[p * shape.n + col]), Acc(1), B[p * shape.n + col] == T(0))',
      ),
      product(9, 7, 65, 'f16'),
      [SCALED, SIGNED],
    ],
    [
      'rows without a positive value',
      changed(
        naive,
        'T(sum)',
        'T(select(sum, Acc(0), most(row) == T(0)))',
        `fn most(row: u32) -> T {
  var found = T(0);
  for (var p = 0u; p < shape.k; p++) { found = max(found, A[row * shape.k + p]); }
  return found;
}`,
      ),
      product(9, 7, 65, 'f32'),
      [SIGNED],
    ],
    [
      'a product dropped where nothing follows C',
      changed(naive, 'p < shape.k', `p < shape.k - select(1u, 0u, ${WITH_ROOM})`),
      product(9, 7, 65, 'f32'),
      [SIGNED],
    ],
    [
      'integers of 16 bits',
      changed(
        naive,
        SUM,
        'let a = A[row * shape.k + p]; let b = B[p * shape.n + col]; sum += ((a << 16u) >> 16u) * ((b << 16u) >> 16u);',
      ),
      product(9, 7, 65, 'i32'),
      [BITS],
    ],
    [
      'sums that saturate',
      changed(naive, 'T(sum)', 'clamp(sum, -0x3fffffff, 0x3fffffff)'),
      product(9, 7, 65, 'i32'),
      [BITS],
    ],
  ])('%s', async (_what, kernel, problem, expected) => {
    const { usual, wrongOn } = await tried(kernel, problem);
    expect(wrongOn).toEqual(expected);
    if (expected.length > 0) expect(usual).toBe(true);
  });
});

test.each<[string, Dtype, string]>([
  ['16 of 32 bits', 'i32', '(value << 16u) >> 16u'],
  ['halves of floats', 'f32', 'bitcast<f32>(bitcast<u32>(value) & 0xffffe000u)'],
  ['values of a range', 'f16', 'clamp(value, T(-64), T(64))'],
  [
    'zeros without their sign',
    'f32',
    'bitcast<f32>(select(bits(value), 0u, bits(value) == 0x80000000u))',
  ],
  [
    'NaN as 0',
    'f32',
    'bitcast<f32>(select(bits(value), 0u, (bits(value) & 0x7fffffffu) > 0x7f800000u))',
  ],
  [
    'no denormals',
    'f32',
    'bitcast<f32>(select(bits(value), 0u, (bits(value) & 0x7f800000u) == 0u))',
  ],
])('a transpose that moves %s is caught', async (_what, dtype, moved) => {
  const kernel = changed(naiveTranspose, /= (A\[.*\]);/, `= moved($1);`);
  const wgsl = `${kernel.wgsl}
fn bits(value: T) -> u32 { return bitcast<u32>(f32(value)); }
fn moved(value: T) -> T { return ${moved}; }`;
  expect(await tried({ ...kernel, wgsl }, transposed(dtype))).toMatchObject({
    wrongOn: expect.arrayContaining([BITS]),
  });
});

describe('what is read beyond an input shows', () => {
  const end = 'p < shape.k;';
  test.each<[string, string, string]>([
    ['one product too many', end, 'p < shape.k + 1u;'],
    ['a tile of K without a check of its bounds', end, 'p < (shape.k + 15u) / 16u * 16u;'],
  ])('%s', async (_what, from, to) => {
    for (const dtype of ['f32', 'f16', 'i32'] as const) {
      const { usual } = await tried(changed(naive, from, to), product(33, 17, 9, dtype));
      expect([dtype, usual]).toEqual([dtype, false]);
    }
  });
});

test.each(['f32', 'f16', 'i32'] as const)(
  'a write a megabyte behind an output shows in %s',
  async (dtype) => {
    const stray = changed(
      naive,
      STORE,
      `${STORE} C[shape.m * shape.n + 262144u + row * shape.n + col] = T(1);`,
    );
    const found = tried(stray, product(33, 17, 9, dtype));
    await expect(found).rejects.toThrow(OutOfBoundsWrite);
    await expect(found).rejects.toThrow('past the end of its output');
  },
);

const REGIMES_OF_FLOATS = idsOf(REGIMES);

describe('in a regime that its problem names', () => {
  /** The verdict on a kernel, and its output. */
  async function judged(kernel: GpuKernel, problem: Problem) {
    const kernels = KERNELS as GpuKernel[];
    kernels.push(kernel);
    const prepared = await gpu.executor
      .prepare({ kernel: kernel.id, tunables: {} }, problem, { seed: 11, bufferSets: 2 })
      .finally(() => kernels.pop());
    try {
      await prepared.verifyRegimes();
      await prepared.refill(12);
      await prepared.poison('nan');
      await prepared.sample({ dispatches: 2, rotate: true });
      return {
        verdict: await prepared.verify([0, 1]),
        output: (await prepared.readOutput(0)).tensor(),
      };
    } finally {
      prepared.destroy();
    }
  }

  test.each(
    REGIMES_OF_FLOATS.flatMap((regime) =>
      (['f32', 'f16', 'f16acc16', 'f16-nt', 'f16-q8', 'f32-f16'] as const).map(
        (dtype) => [regime, dtype] as const,
      ),
    ),
  )('a right kernel is right on %s in %s', async (regime, dtype) => {
    for (const [m, n, k] of [
      [1, 1, 64],
      [33, 70, 1024],
      [9, 12, 4096],
    ] as const) {
      const { verdict, output } = await judged(ours, { ...product(m, n, k, dtype), regime });
      expect([verdict.worst, verdict.reason]).toEqual([null, null]);
      expect(Number.isFinite(verdict.rms)).toBe(true);
      expect(output.every((value) => value === 0)).toBe(false);
    }
  });

  test.each(['large', 'outliers', 'zeros', 'integers'] as const)(
    'a right transpose is right on %s',
    async (regime) => {
      for (const dtype of ['f32', 'f16'] as const) {
        const { verdict } = await judged(naiveTranspose, { ...transposed(dtype), regime });
        expect(verdict.worst).toBeNull();
      }
    },
  );

  test.each(['f16', 'f16acc16'] as const)(
    'large sums of %s overflow to infinity, and only those',
    async (dtype) => {
      const problem = { ...product(64, 64, 300, dtype), regime: 'large' } as const;
      const { output, verdict } = await judged(naive, problem);
      const infinite = output.filter((value) => value === Number.POSITIVE_INFINITY).length;
      expect(infinite).toBeGreaterThan(0);
      expect(infinite).toBeLessThan((64 * 64) / 8);
      expect(output).not.toContain(Number.NEGATIVE_INFINITY);
      expect(verdict.infinite).toBeGreaterThanOrEqual(infinite);
    },
  );

  test.each<[string, (typeof REGIMES_OF_FLOATS)[number], Dtype, GpuKernel]>([
    [
      'clamps what overflows',
      'large',
      'f16',
      changed(naive, 'T(sum)', 'T(clamp(sum, Acc(-65504), Acc(65504)))'),
    ],
    [
      'writes infinity where nothing overflows',
      'large',
      'f16',
      changed(
        naive,
        'T(sum)',
        'T(select(sum, bitcast<f32>(0x7f800000u | (bitcast<u32>(sum) & 0x80000000u)), col == 3u))',
      ),
    ],
    [
      'gives infinity the other sign',
      'large',
      'f16',
      changed(naive, 'T(sum)', 'T(select(sum, -sum, abs(sum) > 65504))'),
    ],
    [
      'sums in halves',
      'large',
      'f16',
      changed(
        naive,
        SUM,
        // By bits: compilers fold a conversion to a half and back.
        `${SUM} sum = bitcast<f32>((bitcast<u32>(sum) + 0x1000u) & 0xffffe000u);`,
      ),
    ],
    [
      'stages f32 as halves',
      'large',
      'f32',
      changed(
        naive,
        'Acc(A[row * shape.k + p])',
        'select(A[row * shape.k + p], bitcast<f32>(0x7f800000u | (p & 0u)), abs(A[row * shape.k + p]) > 65504)',
      ),
    ],
    [
      'clamps outliers',
      'outliers',
      'f32',
      changed(
        naive,
        'Acc(A[row * shape.k + p])',
        'clamp(Acc(A[row * shape.k + p]), Acc(-1), Acc(1))',
      ),
    ],
    [
      'ends at a zero',
      'zeros',
      'f32',
      changed(naive, SUM, `if (A[row * shape.k + p] == T(0)) { break; } ${SUM}`),
    ],
    ['drops a product', 'integers', 'f16', changed(naive, 'p < shape.k', 'p < shape.k - 1u')],
  ])('a kernel that %s is caught on %s in %s', async (_what, regime, dtype, kernel) => {
    const { verdict } = await judged(kernel, { ...product(64, 64, 300, dtype), regime });
    expect(verdict.worst).not.toBeNull();
  });

  test.each<[Regime, Dtype]>([
    ['large:48', 'f32'],
    ['outliers:48', 'f32'],
    ['large:15', 'f16'],
    ['outliers:15', 'f16-q8'],
    ['large:15', 'f32-f16'],
    ['large:2', 'f16acc16'],
  ])('a right kernel is right on %s in %s', async (regime, dtype) => {
    const { verdict, output } = await judged(ours, { ...product(33, 70, 512, dtype), regime });
    expect([verdict.worst, verdict.reason]).toEqual([null, null]);
    const [least, most] = regime === 'large:2' ? [1, 2 ** 10] : [2 ** 15, Infinity];
    const largest = Math.max(...Array.from(output, Math.abs));
    expect(largest >= least && largest <= most).toBe(true);
  });

  test.each<[string, Regime, Dtype, GpuKernel]>([
    ['adds up in halves', 'large:8', 'f16acc16', naive],
    [
      'stores 0 for infinity',
      'large:12',
      'f16',
      changed(naive, 'T(sum)', 'select(T(sum), T(0), abs(sum) > Acc(65504))'),
    ],
    [
      'clamps to the range of halves',
      'large:20',
      'f32',
      changed(
        naive,
        'Acc(A[row * shape.k + p])',
        'clamp(Acc(A[row * shape.k + p]), Acc(-65504), Acc(65504))',
      ),
    ],
  ])('a kernel that %s is wrong on %s in %s', async (_, regime, dtype, kernel) => {
    const { verdict } = await judged(kernel, { ...product(33, 70, 512, dtype), regime });
    expect(verdict.worst).not.toBeNull();
  });

  test.each<[Problem, string]>([
    [
      { ...product(4, 4, 4, 'f16'), regime: 'large:16' },
      'f16 is not drawn as large values up to 2^16: 2^15 is the most',
    ],
    [
      { ...transposed('f32'), regime: 'outliers:3' },
      'f32 is not drawn as outliers up to 2^3: it is not of floats that are summed',
    ],
    [
      { ...product(4, 4, 4, 'i32'), regime: 'outliers' },
      'i32 is not drawn as outliers: its inputs are integers whose sums cannot overflow',
    ],
  ])('%j is not drawn', (problem, reason) => {
    expect(faultOf(problem.op, problem.shape, problem.dtype, problem)).toEqual({
      field: 'regime',
      reason,
    });
  });
});

test.each<[InputMode, Problem]>([
  ...REGIMES_OF_FLOATS.flatMap((regime) =>
    (['f32', 'f16', 'f16-nt', 'f16-q4'] as const).map((dtype): [InputMode, Problem] => [
      regime,
      product(19, 21, 96, dtype, 2),
    ]),
  ),
  ['integers', product(3, 2, 70_000, 'f16')],
  ['integers', product(3, 2, 70_400, 'f16-q4')],
  ...(['uniform', 'scaled', 'integers', 'large'] as const).flatMap((mode) =>
    (['f32-f16', 'f32-f16-nt'] as const).map((dtype): [InputMode, Problem] => [
      mode,
      product(19, 21, 31, dtype, 2),
    ]),
  ),
  ['zeros', product(19, 21, 96, 'i32')],
  ['large', product(19, 21, 3, 'f16')],
  ['large', transposed('f16')],
  ['outliers', transposed('f32')],
  ['integers', product(5, 7, 300, 'f16')],
  ['scaled', product(5, 7, 300, 'f32')],
  ['scaled', product(5, 7, 1, 'f16')],
  ['scaled', product(5, 7, 31, 'f16', 3)],
  ['scaled', product(5, 7, 31, 'f32-nt', 3)],
  ['uniform', product(5, 7, 64, 'f16-q8', 3)],
  ['uniform', product(5, 7, 96, 'f16-q4', 3)],
  ['integers', product(5, 7, 96, 'f16-q4')],
  ['uniform', product(5, 7, 64, 'f32-q4')],
  ['uniform', product(5, 7, 192, 'f32-q4z')],
  ['integers', product(5, 7, 64, 'f32-q4z')],
  ['uniform', product(5, 7, 96, 'q8-q8', 3)],
  ['integers', product(5, 7, 96, 'q8-q8')],
  ['uniform', product(5, 7, 12, 'i8-nt', 3)],
  ...(['f32', 'f16', 'f16-nt', 'i32', 'i8-nt', 'f16-q4', 'f32-q4z', 'q8-q8'] as const).map(
    (dtype): [InputMode, Problem] => ['signed', product(5, 7, 192, dtype)],
  ),
  ['signed', product(5, 7, 70_400, 'f16')],
  ['signed', product(5, 7, 70_400, 'f16-q4')],
  ['bits', product(5, 7, 300, 'i32')],
  ['bits', transposed('f32')],
  ['bits', transposed('f16')],
])("%s inputs made on the device are the host's, of %j", async (mode, problem) => {
  const watch = new DeviceWatch(gpu.device);
  const filler = new Filler(watch, new Pipelines(watch));
  const choice = { seed: 7, mode };
  const usage = BufferUsage.STORAGE | BufferUsage.COPY_SRC;
  const parts = storedBytes(problem, choice);
  const buffers = parts.map(({ length }) =>
    gpu.device.createBuffer({ size: Math.ceil(length / 4) * 4, usage }),
  );
  await filler.fill(
    buffers.map((buffer) => ({ buffer })),
    fillsOf(problem, choice),
  );
  for (const [i, part] of parts.entries()) {
    const made = await download(watch, buffers[i]!);
    expect(new Uint8Array(made.bytes, 0, part.length)).toEqual(part);
  }
});
