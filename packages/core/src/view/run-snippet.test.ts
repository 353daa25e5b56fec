import {
  type Dtype,
  inputTensors,
  type Problem,
  parseVariant,
  storedBytes,
} from '@tilemark/kernels';
import { expect, it } from 'vitest';
import { create } from 'webgpu';
import { programOf } from '../server/store/boards/shipped-variant';
import { RUN_SNIPPET } from './run-snippet';

const gpu = create([]);

it.each([
  ['matmul/naive', { m: 5, n: 7, k: 9 }],
  // Two dispatches and scratch memory, rows that do not start on a vec4.
  ['matmul/few-rows[LANES=8,DEEP=8,SPLIT=2]', { m: 1, n: 33, k: 130 }],
  ['matmul/few-rows[LANES=8,DEEP=8,SPLIT=2]', { b: 3, m: 1, n: 33, k: 130 }],
  ['matmul/naive', { b: 3, m: 5, n: 7, k: 9 }],
  ['matmul/rows-of-weights', { m: 3, n: 33, k: 130 }, 'f32-nt'],
] as const)(
  'runs %s as the answer of /best describes it',
  async (address, shape, dtype: Dtype = 'f32') => {
    const problem: Problem<'matmul'> = { op: 'matmul', shape, dtype };
    const { b: batch = 1, m, n, k } = problem.shape;
    const program = programOf(parseVariant(address), problem);
    const adapter = await gpu.requestAdapter();
    const device = await adapter!.requestDevice();
    const run = new Function(`${RUN_SNIPPET}\nreturn run;`)();
    const output = new Float32Array(await run(device, program, storedBytes(problem, { seed: 3 })));
    const [a, b] = inputTensors(problem, { seed: 3 });
    for (let i = 0; i < batch * m * n; i++) {
      const row = Math.floor(i / n);
      const own = b!.subarray(Math.floor(row / m) * k * n);
      let want = 0;
      for (let p = 0; p < k; p++) want += a![row * k + p]! * own[p * n + (i % n)]!;
      expect(output[i]).toBeCloseTo(want, 4);
    }
    device.destroy();
  },
);
