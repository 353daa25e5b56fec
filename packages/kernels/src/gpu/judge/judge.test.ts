import { describe, expect, test, vi } from 'vitest';
import { NoMemoryToVerify, OutOfBoundsWrite, OutOfMemory, ReferenceWrong } from '../../errors';
import type { GpuKernel } from '../../kernel/kernel';
import { KERNELS } from '../../kernel/registry';
import { naive as batches } from '../../matmul/01-naive';
import { splitK } from '../../matmul/07-split-k';
import { plain as naive } from '../../matmul/plain.test-helper';
import { someElements } from '../../matmul/reference';
import { DTYPES } from '../../problem/dtype';
import { elements } from '../../problem/op';
import { opOf } from '../../problem/ops';
import type { Problem } from '../../problem/problem';
import type { Tensor } from '../../problem/scalar';
import { seedOfSet } from '../../verify/fills';
import { inputLines, inputTensors } from '../../verify/inputs';
import { boundOf } from '../../verify/precision';
import { outputCheck } from '../../verify/verify';
import { BufferUsage } from '../buffers';
import { openDevice, useExecutor } from '../dawn.test-helper';
import { createGpuExecutor } from '../executor';
import { Pipelines } from '../pipelines';
import { DeviceWatch } from '../watch';
import { roundingOf } from './audit';
import { References } from './references';
import { type Job, Results } from './results';
import { partsOf } from './shares';

const gpu = useExecutor();
const options = { seed: 11, bufferSets: 3 };
const product = (m: number, n: number, k: number, dtype: Problem['dtype'] = 'f32'): Problem => ({
  op: 'matmul',
  shape: { m, n, k },
  dtype,
});

const batch = (b: number, { shape, ...of }: Problem): Problem =>
  ({ ...of, shape: { b, ...shape } }) as Problem;

/** The verdicts of a kernel that is in the registry only for this, on NaN and on stale outputs. */
async function judged(kernel: GpuKernel, problem: Problem, sets = [0, 1, 2]) {
  const kernels = KERNELS as GpuKernel[];
  const isNew = !kernels.includes(kernel);
  if (isNew) kernels.push(kernel);
  const prepared = await gpu.executor
    .prepare({ kernel: kernel.id, tunables: {} }, problem, options)
    .finally(() => isNew && kernels.pop());
  try {
    await prepared.poison('nan');
    const untouched = await prepared.verify(sets);
    await prepared.sample({ dispatches: sets.length, rotate: true });
    const first = await prepared.verify(sets);
    const outputs = await Promise.all(sets.map((set) => prepared.readOutput(set)));
    await prepared.refill(99);
    await prepared.poison('stale');
    const stale = await prepared.verify(sets);
    await prepared.sample({ dispatches: sets.length, rotate: true });
    const refilled = await prepared.verify(sets);
    return { untouched, first, stale, refilled, outputs: outputs.map(({ tensor }) => tensor()) };
  } finally {
    prepared.destroy();
  }
}

const variantOf = (base: GpuKernel, id: string, wgsl: string): GpuKernel => ({
  ...base,
  id: `matmul/${id}`,
  wgsl,
});
const source = naive.wgsl;
const STORE = 'C[row * shape.n + col] =';

describe.each([
  [product(17, 31, 5), 17 * 31],
  [product(1, 4096, 1), 4096],
  [product(130, 67, 700), 130 * 67],
  [product(17, 31, 5, 'f16'), 17 * 31],
  [product(33, 65, 129, 'f16'), 33 * 65],
  [product(40, 24, 300, 'f16acc16'), 40 * 24],
  [product(33, 65, 129, 'i32'), 33 * 65],
  [batch(5, product(17, 31, 300)), 5 * 17 * 31],
  [batch(3, product(17, 31, 5, 'f16')), 3 * 17 * 31],
  [batch(3, product(33, 65, 129, 'i32')), 3 * 33 * 65],
  [{ op: 'transpose', shape: { rows: 33, cols: 77 }, dtype: 'f32' } as Problem, 33 * 77],
  [{ op: 'transpose', shape: { rows: 33, cols: 77 }, dtype: 'f16' } as Problem, 33 * 77],
] as const)('%j', (problem, elements) => {
  const kernel = KERNELS.find(({ id }) => id === `${problem.op}/naive`) as GpuKernel;

  test('is compared whole: nothing of what was there before passes, and what is right does', async () => {
    const { untouched, first, stale, refilled } = await judged(kernel, problem);
    expect(untouched).toMatchObject({ method: 'device', checked: 3 * elements });
    expect(untouched.beyond).toBe(3 * elements);
    for (const verdict of [first, refilled]) {
      expect(verdict).toMatchObject({ method: 'device', worst: null, beyond: 0, reason: null });
      expect(verdict.worstRatio).toBeLessThanOrEqual(1);
    }
    expect(stale.beyond).toBeGreaterThan(0.95 * 3 * elements);
    expect(stale.infinite).toBe(0);
  });

  test('gets the verdict of the f64 reference', async () => {
    const { first, outputs } = await judged(kernel, problem);
    for (const [set, output] of outputs.entries()) {
      const inputs = inputTensors(problem, { seed: seedOfSet(options.seed, set) });
      const host = outputCheck(problem, inputs)(output);
      expect(host.worst).toBeNull();
      // The reference rounds, too: by little beside the bound.
      if (DTYPES[problem.dtype].isInteger || problem.op === 'transpose') continue;
      expect(Math.abs(host.worstRatio - first.worstRatio)).toBeLessThan(0.3);
      expect(Math.abs(host.rms - first.rms)).toBeLessThan(1.5);
    }
  });
});

test('one wrong element is found and named, wherever it is', async () => {
  const problem = product(130, 67, 300);
  for (const [row, col] of [
    [0, 0],
    [77, 13],
    [129, 66],
  ]) {
    const wrong = source.replace(
      STORE,
      `${STORE} select(1.0, 0.0, row == ${row}u && col == ${col}u) *`,
    );
    const { first } = await judged(variantOf(naive, 'zeroed', wrong), problem, [0]);
    expect(first).toMatchObject({ beyond: 1, infinite: 0, worst: { row, col, got: 0 } });
    expect(first.worst?.bound).toBeGreaterThan(0);
    expect(first.worstRatio).toBeGreaterThan(1);
  }
});

/** A kernel of batches with one change of its source. */
const changed = (from: string, to: string): GpuKernel => ({
  ...batches,
  id: 'matmul/changed',
  wgsl: (values, dtype, written) => {
    const { wgsl } = batches;
    if (typeof wgsl === 'string') throw new TypeError('batches builds its WGSL by a function');
    return wgsl(values, dtype, written).replace(from, to);
  },
});

test('one wrong element of one product of a batch is found and named', async () => {
  const wrong = changed(
    '= T(sum);',
    '= select(T(sum), T(0), product == 2u && row == 7u && col == 13u);',
  );
  const { first } = await judged(wrong, batch(4, product(30, 67, 300)), [0]);
  // The rows of C are counted through the batch.
  expect(first).toMatchObject({ beyond: 1, infinite: 0, worst: { row: 67, col: 13, got: 0 } });
  const { bound = 0, want = 0 } = first.worst ?? {};
  expect(bound).toBeGreaterThan(0);
  expect(bound).toBeLessThan(Math.abs(Number(want)));
});

test('products of a batch that are alike are found: each has inputs of its own', async () => {
  const same = changed('(product * shape.m + row) * shape.k', 'row * shape.k');
  const { first } = await judged(same, batch(4, product(30, 67, 300)), [0]);
  // All but those of the first product.
  expect(first.beyond).toBeGreaterThan(0.99 * 3 * 30 * 67);
  expect(first.beyond).toBeLessThanOrEqual(3 * 30 * 67);
});

test.each([
  ['11 bits of each operand, as tf32', 0xffffe000],
  ['16 bits of each operand, as two bf16', 0xffffff00],
])('a product of %s is not f32', async (_what, mask) => {
  const short = source.replace(
    /let (\w+) = (\w+\[[^;]*\]);/g,
    (_all, name, value) => `let ${name} = bitcast<f32>(bitcast<u32>(${value}) & ${mask}u);`,
  );
  const cut = short.includes('bitcast')
    ? short
    : source.replace(
        /([AB])\[([^\]]*)\](?! =)/g,
        (_all, name, at) => `bitcast<f32>(bitcast<u32>(${name}[${at}]) & ${mask}u)`,
      );
  const { first } = await judged(variantOf(naive, 'short', cut), product(64, 64, 1024), [0]);
  expect(first.worst).not.toBeNull();
  expect(first.beyond > 0 || first.reason?.includes('less precise than its dtype')).toBe(true);
});

test.each([
  [
    'behind',
    (at: string) => `${at} + 1u`,
    'past the end of its output of 2244 bytes: the first changed word is at byte 2244',
  ],
  [
    'far behind',
    (at: string) => `${at} + 900u`,
    'past the end of its output of 2244 bytes: the first changed word is at byte 3600',
  ],
])('a write %s the output is noticed, even clamped by robust access', async (_where, at, words) => {
  const problem = product(33, 17, 9);
  const stray = source.replace(STORE, `C[${at('row * shape.n + col')}] =`);
  await expect(judged(variantOf(naive, 'stray', stray), problem)).rejects.toThrow(words);
  await expect(judged(variantOf(naive, 'stray', stray), problem)).rejects.toThrow(OutOfBoundsWrite);
});

test('scratch memory is poisoned and guarded', async () => {
  const problem = product(64, 64, 256);
  const right = await judged(splitK, problem);
  expect(right.first.worst).toBeNull();
  expect(right.refilled.worst).toBeNull();
});

describe('an output whose reference is larger than the device can bind is compared in parts', () => {
  // 72 MB in halves, twice that in f32: over the 128 MiB that every device binds.
  const problem = product(6000, 6000, 16, 'f16');
  const place = (row: number, col: number) => `row == ${row}u && col == ${col}u`;

  async function verdictOf(kernel: GpuKernel) {
    const kernels = KERNELS as GpuKernel[];
    kernels.push(kernel);
    const { device } = await openDevice(undefined, { isSmall: true });
    const executor = await createGpuExecutor(device);
    try {
      const variant = { kernel: kernel.id, tunables: {} } as const;
      const prepared = await executor.prepare(variant, problem, { seed: 3, bufferSets: 1 });
      await prepared.poison('nan');
      expect((await prepared.verify([0])).beyond).toBe(6000 * 6000);
      await prepared.sample({ dispatches: 1, rotate: false });
      return await prepared.verify([0]);
    } finally {
      kernels.pop();
      executor.destroy();
      device.destroy();
    }
  }

  test('which passes what is right', async () => {
    const right = variantOf(naive, 'right', source);
    const checked = 6000 * 6000;
    expect(await verdictOf(right)).toMatchObject({ method: 'device', worst: null, checked });
  });

  test.each([
    [0, 0],
    [5999, 5998],
  ])('and catches two neighbours swapped at [%i, %i]', async (row, col) => {
    const at = `select(select(col, ${col}u, ${place(row, col + 1)}), ${col + 1}u, ${place(row, col)})`;
    const swapped = source.replace(STORE, `C[row * shape.n + ${at}] =`);
    const verdict = await verdictOf(variantOf(naive, 'swapped', swapped));
    expect(verdict).toMatchObject({ method: 'device', beyond: 2, worst: { row } });
    expect([col, col + 1]).toContain(verdict.worst?.col);
  });
});

test.each([
  [{ op: 'transpose', shape: { rows: 70, cols: 300 }, dtype: 'f16' } as Problem, 64 * 4 * 70],
  [product(300, 70, 9), 64 * 4 * 70],
  [batch(5, product(30, 70, 9)), 2 * 30 * 4 * 70],
  [batch(3, product(130, 7, 9, 'i32')), 64 * 4 * 7],
])('parts of %j have the elements of the whole', async (problem, most) => {
  const parts = partsOf(problem, most, 64);
  expect(parts.length).toBeGreaterThan(2);
  const kernel = KERNELS.find(({ id }) => id === `${problem.op}/naive`) as GpuKernel;
  const spy = vi.spyOn(References.prototype, 'parts').mockReturnValue(parts);
  const { device } = await openDevice();
  const executor = await createGpuExecutor(device);
  try {
    const variant = { kernel: kernel.id, tunables: {} } as const;
    const prepared = await executor.prepare(variant, problem, options);
    await prepared.poison('nan');
    const length = elements(opOf(problem).output(problem.shape));
    expect((await prepared.verify([0, 1])).beyond).toBe(2 * length);
    await prepared.sample({ dispatches: 2, rotate: true });
    expect(await prepared.verify([0, 1])).toMatchObject({ worst: null, checked: 2 * length });
  } finally {
    spy.mockRestore();
    executor.destroy();
    device.destroy();
  }
});

test('one part of an output is verified alone', async () => {
  const problem = product(150, 70, 9);
  const parts = partsOf(problem, 64 * 4 * 70, 64);
  const spy = vi.spyOn(References.prototype, 'parts').mockReturnValue(parts);
  const wrong = source.replace(STORE, `C[row * shape.n + col] = select(0.0, 9.0, row == 100u) +`);
  const kernels = KERNELS as GpuKernel[];
  kernels.push(variantOf(naive, 'wrong', wrong));
  try {
    const variant = { kernel: kernels.at(-1)?.id ?? '', tunables: {} };
    const prepared = await gpu.executor.prepare(variant, problem, options);
    await prepared.poison('nan');
    await prepared.sample({ dispatches: 1, rotate: false });
    expect(prepared.parts).toBe(3);
    expect(await prepared.verify([0], 0)).toMatchObject({ beyond: 0, checked: 64 * 70 });
    expect(await prepared.verify([0], 1)).toMatchObject({ beyond: 70, worst: { row: 100 } });
    expect(await prepared.verify([0], 2)).toMatchObject({ beyond: 0, checked: 22 * 70 });
    prepared.destroy();
  } finally {
    kernels.pop();
    spy.mockRestore();
  }
});

test('judged outputs may be written over before its verdict is read', async () => {
  const wrong = source.replace(STORE, `C[row * shape.n + col] = select(0.0, 9.0, row == 100u) +`);
  const kernels = KERNELS as GpuKernel[];
  kernels.push(variantOf(naive, 'wrong', wrong));
  try {
    const variant = { kernel: kernels.at(-1)?.id ?? '', tunables: {} };
    const prepared = await gpu.executor.prepare(variant, product(150, 70, 9), options);
    await prepared.poison('nan');
    const { answer } = await prepared.beginJudged({ dispatches: 1, rotate: false }, [0]);
    await prepared.poison('nan', 1);
    const { beyond, worst } = await answer;
    expect(beyond).toBe(70);
    expect(Number(worst?.got)).toBeCloseTo(9 + Number(worst?.want), 3);
    prepared.destroy();
  } finally {
    kernels.pop();
  }
});

test('a reference that a verdict compares with is kept while it makes another', async () => {
  const problem = product(130, 67, 300);
  const variant = { kernel: 'matmul/naive', tunables: {} } as const;
  const prepared = await gpu.executor.prepare(variant, problem, { seed: 11, bufferSets: 2 });
  const right = { worst: null, checked: 2 * 130 * 67 };
  try {
    await prepared.poison('nan');
    await prepared.sample({ dispatches: 2, rotate: true });
    expect(await prepared.verify([1, 0])).toMatchObject(right);
    for (const seed of [1, 2, 3]) {
      const next = { dispatches: 1, rotate: false };
      await prepared.refill(seed, next);
      await prepared.sample(next);
      // Of two that are kept, the one that was used first, and a new one.
      expect(await prepared.verify([1, 0])).toMatchObject(right);
    }
  } finally {
    prepared.destroy();
  }
});

test.each([2, 4, 8, 13, 16, 31, 32, 48])('the reference of sums of %i is audited', async (k) => {
  // Thousands of rows, of which some are audited.
  const problem = product(4096, Math.min(Math.ceil(2 ** 26 / 4096 / k), 4000), k);
  const variant = { kernel: 'matmul/naive', tunables: {} } as const;
  const prepared = await gpu.executor.prepare(variant, problem, { seed: k, bufferSets: 1 });
  try {
    await prepared.poison('nan');
    await prepared.sample({ dispatches: 1, rotate: false });
    expect(await prepared.verify([0])).toMatchObject({ method: 'device', worst: null });
  } finally {
    prepared.destroy();
  }
});

test.each([32, 64, 128, 2048])('what a reference of sums of %i rounds is below its limit', (k) => {
  const [m, n] = [256, 64];
  const problem = product(m, n, k);
  const choice = { seed: k, mode: 'uniform' } as const;
  const [a, b] = inputTensors(problem, choice) as [Tensor, Tensor];
  const every = (count: number) => Array.from({ length: count }, (_, line) => line);
  const line = inputLines(problem, choice);
  const exact = someElements({ m, n, k }, line, every(m), every(n), []);
  const { tolerance } = boundOf({ rounding: roundingOf(k), growth: 1 }, m * n);
  let worst = 0;
  for (let at = 0; at < m * n; at++) {
    const [row, col] = [Math.floor(at / n), at % n];
    // As matmul/reference.wgsl adds up, every product rounded.
    let sum = 0;
    for (let outer = 0; outer < k; outer += 256) {
      let block = 0;
      for (let first = outer; first < Math.min(outer + 256, k); first += 16) {
        let part = 0;
        for (let p = first; p < first + 16; p++) {
          const term = Math.fround((a[row * k + p] ?? 0) * (b[p * n + col] ?? 0));
          part = Math.fround(part + term);
        }
        block = Math.fround(block + part);
      }
      sum = Math.fround(sum + block);
    }
    const bound = tolerance * (exact.scales?.[at] ?? 0);
    worst = Math.max(worst, Math.abs(sum - (exact.values[at] ?? Number.NaN)) / bound);
  }
  expect(worst).toBeGreaterThan(0.01);
  expect(worst).toBeLessThan(0.6);
});

test.each([
  ['all over', product(20, 30, 40), 'want[at] = sum;', 'want[at] = sum * 1.001;'],
  [
    'in one block',
    product(600, 700, 400),
    'want[at] = sum;',
    'want[at] = sum * select(1.0, 1.001, row / 64u == 5u && cols[i] / 64u == 7u);',
  ],
  [
    'in its last column',
    batch(3, product(70, 200, 40)),
    'want[at] = sum;',
    'want[at] = sum * select(1.0, 1.001, product == 2u && cols[i] == 199u);',
  ],
  [
    'without its epilogue',
    { ...product(20, 30, 40), epilogue: 'relu' } as Problem,
    'return activated(sum)',
    'return sum',
  ],
  [
    'in its steps',
    { op: 'transpose', shape: { rows: 40, cols: 50 }, dtype: 'f32' } as Problem,
    '= load_A(at.x * chunk.cols + at.y)',
    '= load_A(at.y)',
  ],
])('a reference that is wrong %s is refused', async (_how, problem, right, wrong) => {
  const { compile } = Pipelines.prototype;
  const spy = vi.spyOn(Pipelines.prototype, 'compile').mockImplementation(function broken(
    this: Pipelines,
    source,
    ...rest
  ) {
    return compile.call(this, source.replace(right, wrong), ...rest);
  });
  const { device } = await openDevice();
  const executor = await createGpuExecutor(device);
  try {
    const variant = { kernel: `${problem.op}/naive`, tunables: {} };
    const prepared = await executor.prepare(variant, problem, { seed: 3, bufferSets: 1 });
    await prepared.poison('nan');
    await prepared.verify([0]);
    await expect(prepared.audit()).rejects.toThrow(ReferenceWrong);
    // For good: it is not taken for audited.
    await prepared.verify([0]);
    await expect(prepared.audit()).rejects.toThrow('the reference is wrong on this device');
  } finally {
    spy.mockRestore();
    executor.destroy();
    device.destroy();
  }
});

test('after a comparison that the device refused, others go on', async () => {
  const { device } = await openDevice();
  const watch = new DeviceWatch(device);
  const results = new Results(watch, new Pipelines(watch));
  const create = () => device.createBuffer({ size: 64, usage: BufferUsage.STORAGE });
  const jobOn = (buffer: GPUBuffer): Job => ({
    source: `@group(0) @binding(0) var<storage, read> given: array<u32>;
@group(0) @binding(1) var<uniform> words: vec4u;
@group(0) @binding(2) var<storage, read_write> found: array<u32>;
@compute @workgroup_size(1) fn main() { found[0] = given[0] + words.x; }`,
    read: [buffer],
    words: [7, 0, 0, 0],
    bytes: 4,
    groups: 1,
  });
  try {
    const [gone, here] = [create(), create()];
    gone.destroy();
    const refused = await results.read([jobOn(gone)]);
    await expect(refused.answer).rejects.toThrow('used in submit while destroyed');
    const [answer] = await (await results.read([jobOn(here)])).answer;
    expect([...new Uint32Array(answer ?? new ArrayBuffer(0))]).toEqual([7]);
  } finally {
    results.destroy();
    device.destroy();
  }
});

test.each([
  ['for a reference', 'allocate a reference'],
  ['to audit a reference', 'read a reference'],
])('where there is no memory %s, nothing is verified', async (_for, scarcity) => {
  const { scoped } = DeviceWatch.prototype;
  const spy = vi.spyOn(DeviceWatch.prototype, 'scoped').mockImplementation(function scarce(
    this: DeviceWatch,
    what,
    work,
  ) {
    if (what === scarcity) throw new OutOfMemory('out of GPU memory');
    return scoped.call(this, what, work) as never;
  });
  try {
    // A class of its own: no reference of it is kept or audited.
    await expect(judged(naive, product(41, 29, 70))).rejects.toThrow(NoMemoryToVerify);
  } finally {
    spy.mockRestore();
  }
});
