import { createHostExecutor, inputTensors, outputCheck, type Problem } from '@tilemark/kernels';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { useBundle } from '../bundle.test-helper';
import { createThreadPool } from './thread-pool';

const bundle = useBundle();
let pool: ReturnType<typeof createThreadPool>;
beforeAll(() => {
  // However few cores there are.
  pool = { ...createThreadPool(new URL('thread.mjs', bundle.child)), threads: 4 };
});
afterEach(() => pool.release());

test('its threads run kernels, also after they were released', async () => {
  const problem: Problem = { op: 'matmul', shape: { m: 13, n: 410, k: 410 }, dtype: 'f32' };
  const variant = { kernel: 'matmul/cpu-parallel', tunables: {} };
  const options = { seed: 1, bufferSets: 1 };
  const prepared = await createHostExecutor(pool).prepare(variant, problem, options);
  const product = async () => {
    await prepared.poison('nan');
    await prepared.sample({ dispatches: 1, rotate: false });
    return (await prepared.readOutput(0)).tensor();
  };
  const first = await product();
  const check = outputCheck(problem, inputTensors(problem, { seed: 1 }));
  expect(check(first).worst).toBeNull();
  await pool.release();
  expect(await product()).toEqual(first);
});

test('an error in a thread is thrown where the run is waited for', async () => {
  const problem: Problem = { op: 'transpose', shape: { rows: 1, cols: 1 }, dtype: 'f32' };
  const rows = { first: 0, end: 1 };
  const [input, output] = [new Float32Array(1), new Float32Array(1)];
  const job = { kernel: 'transpose/none', values: {}, problem, inputs: [input], output, rows };
  await expect(pool.run([job])).rejects.toThrow('transpose/none');
});

test('a run after one that failed is not answered by threads of the one before', async () => {
  const problem: Problem = { op: 'matmul', shape: { m: 600, n: 600, k: 600 }, dtype: 'f32' };
  const [a, b, c] = [1, 2, 3].map(() => new Float32Array(new SharedArrayBuffer(4 * 600 * 600)));
  if (!a || !b || !c) throw new TypeError('three tensors');
  const rows = { first: 0, end: 600 };
  const job = {
    kernel: 'matmul/cpu-blocked',
    values: { BLOCK: 64 },
    problem,
    inputs: [a, b],
    output: c,
    rows,
  };
  const failing = { ...job, kernel: 'matmul/none' };
  await expect(pool.run([failing, job])).rejects.toThrow('matmul/none');
  a.fill(1);
  b.fill(1);
  c.fill(-1);
  const half = (first: number) => ({ ...job, rows: { first, end: first + 300 } });
  await pool.run([half(0), half(300)]);
  expect(new Set(c)).toEqual(new Set([600]));
});
