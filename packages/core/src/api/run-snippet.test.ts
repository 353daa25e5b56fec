import {
  type Dtype,
  type Epilogue,
  finisherOf,
  fromHalves,
  ITEMS,
  inputTensors,
  type Problem,
  parseVariant,
  STORAGES,
} from '@tilemark/kernels';
import { expect, it } from 'vitest';
import { create } from 'webgpu';
import { encode, toDevice } from '../../../kernels/src/problem/encoding.test-helper';
import { storedBytes } from '../../../kernels/src/verify/stored.test-helper';
import { programOf } from '../tune/best';
import { RUN_SNIPPET } from './run-snippet';

const gpu = create([]);

it.each([
  ['matmul/naive', { m: 5, n: 7, k: 9 }],
  // Two dispatches and scratch memory, rows that do not start on a vec4.
  ['matmul/few-rows[LANES=8,DEEP=8,SPLIT=2]', { m: 1, n: 33, k: 130 }],
  ['matmul/few-rows[LANES=8,DEEP=8,SPLIT=2]', { b: 3, m: 1, n: 33, k: 130 }],
  ['matmul/naive', { b: 3, m: 5, n: 7, k: 9 }],
  ['matmul/rows-of-weights', { m: 3, n: 33, k: 130 }, 'f32-nt'],
  ['matmul/rows-of-weights', { m: 3, n: 33, k: 128 }, 'f32-q4'],
  ['matmul/rows-of-weights', { m: 3, n: 33, k: 128 }, 'f32-q4z'],
  ['matmul/rows-of-weights', { m: 3, n: 33, k: 128 }, 'q8-q8'],
  ['matmul/few-rows[LANES=8,DEEP=8,SPLIT=2]', { m: 1, n: 33, k: 130 }, 'f32', 'bias-silu'],
  ['matmul/rows-of-weights', { m: 3, n: 33, k: 128 }, 'f32-q4', 'bias-gelu'],
] as const)(
  'runs %s as the answer of /best describes it',
  async (address, shape, dtype: Dtype = 'f32', epilogue?: Epilogue) => {
    const problem: Problem<'matmul'> = { op: 'matmul', shape, dtype, epilogue };
    const finish = finisherOf(problem) ?? ((sum: number) => sum);
    const { b: batch = 1, m, n, k } = problem.shape;
    const program = programOf(parseVariant(address), problem);
    const adapter = await gpu.requestAdapter();
    const device = await adapter!.requestDevice({ requiredFeatures: ['shader-f16'] });
    const prepare = new Function(`${RUN_SNIPPET}\nreturn prepare;`)();
    const output = new Float32Array(
      await (await prepare(device, program)).run(storedBytes(problem, { seed: 3 })),
    );
    const [a, b, bias] = inputTensors(problem, { seed: 3 });
    for (let i = 0; i < batch * m * n; i++) {
      const row = Math.floor(i / n);
      const own = b!.subarray(Math.floor(row / m) * k * n);
      let want = 0;
      for (let p = 0; p < k; p++) want += a![row * k + p]! * own[p * n + (i % n)]!;
      expect(output[i]).toBeCloseTo(finish(want, bias?.[i % n] ?? 0), 4);
    }
    device.destroy();
  },
);

// A block of weights: as ggml rounds them, split into values and scales.
it.each(['q8_0', 'q4_0'] as const)('runs weights that a program has in %s', async (id) => {
  const shape = { m: 2, n: 34, k: 96 };
  const dtype = id === 'q4_0' ? 'f16-q4' : 'f16-q8';
  const adapter = await gpu.requestAdapter();
  const device = await adapter!.requestDevice({ requiredFeatures: ['shader-f16'] });
  const weights = Array.from({ length: shape.n }, (_, row) =>
    Float32Array.from({ length: shape.k }, (_, p) => Math.sin(row * shape.k + p) / 4),
  );
  const encoded = weights.map((row) => encode(id, row));
  const parts = STORAGES[id].parts.map(({ item }, at) => {
    const values = encoded.flatMap((row) => row[at]!);
    return { bytes: toDevice(item, values), item, length: values.length };
  });
  const a = Float32Array.from({ length: shape.m * shape.k }, (_, i) => ((i * 37) % 64) / 64 - 0.5);

  const program = programOf(parseVariant('matmul/rows-of-weights'), { op: 'matmul', shape, dtype });
  expect(program.bindings.map(({ name }) => name)).toEqual(['A', 'B', 'B_scales', 'C', 'shape']);
  const prepare = new Function(`${RUN_SNIPPET}\nreturn prepare;`)();
  const halves = toDevice(ITEMS.f16, a);
  const output = fromHalves(
    new Uint16Array(
      await (await prepare(device, program)).run([halves, ...parts.map(({ bytes }) => bytes)]),
    ),
  );

  const [values, scales] = parts.map(({ bytes, item, length }) =>
    item.fromDevice(bytes.buffer, length),
  );
  for (let i = 0; i < shape.m * shape.n; i++) {
    const [row, col] = [Math.floor(i / shape.n), i % shape.n];
    let want = 0;
    for (let p = 0; p < shape.k; p++) {
      const at = col * shape.k + p;
      want += a[row * shape.k + p]! * values![at]! * scales![at >> 5]!;
    }
    expect(output[i]).toBeCloseTo(want, 2);
  }
  device.destroy();
});
