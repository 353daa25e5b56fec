import { inputTensors, type Problem, parseVariant } from '@tilemark/kernels';
import { expect, it } from 'vitest';
import { create } from 'webgpu';
import { programOf } from '../server/store/boards/shipped-variant';
import { RUN_SNIPPET } from './run-snippet';

const gpu = create([]);

it.each([
  ['matmul/naive', { m: 5, n: 7, k: 9 }],
  // Two dispatches and scratch memory, rows that do not start on a vec4.
  ['matmul/few-rows[LANES=8,DEEP=8,SPLIT=2]', { m: 1, n: 33, k: 130 }],
])('runs %s as the answer of /best describes it', async (address, shape) => {
  const problem: Problem<'matmul'> = { op: 'matmul', shape, dtype: 'f32' };
  const program = programOf(parseVariant(address), problem);
  const adapter = await gpu.requestAdapter();
  const device = await adapter!.requestDevice();
  const run = new Function(`${RUN_SNIPPET}\nreturn run;`)();
  const inputs = inputTensors(problem, { seed: 3 });
  const output = new Float32Array(await run(device, program, inputs));
  const [a, b] = inputs;
  const { m, n, k } = shape;
  for (let i = 0; i < m * n; i++) {
    let want = 0;
    for (let p = 0; p < k; p++) want += a![Math.floor(i / n) * k + p]! * b![p * n + (i % n)]!;
    expect(output[i]).toBeCloseTo(want, 4);
  }
  device.destroy();
});
