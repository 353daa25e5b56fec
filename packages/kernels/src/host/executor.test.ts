import { describe, expect, test } from 'vitest';
import { coveringVariants } from '../kernel/covering.test-helper';
import { hostKernel } from '../kernel/kernel';
import { KERNELS } from '../kernel/registry';
import { multiplyRows } from '../matmul/cpu/03-blocked';
import { verify } from '../matmul/product.test-helper';
import { splitRows } from '../numbers';
import { idsOf } from '../problem/dtype';
import type { Problem } from '../problem/problem';
import { REGIMES } from '../problem/regime';
import { faultOf, shapeText } from '../problem/shape';
import { roundingOn, seedOfSet } from '../verify/fills';
import { inputTensors } from '../verify/inputs';
import { createHostExecutor } from './executor';
import { startPool } from './pool.test-helper';

const executor = createHostExecutor(await startPool(3));
const hostKernels = KERNELS.filter((kernel) => kernel.runsOn === 'cpu');
const problems: Record<string, Pick<Problem, 'op' | 'shape'>[]> = {
  matmul: [
    { op: 'matmul', shape: { m: 1, n: 1, k: 1 } },
    { op: 'matmul', shape: { m: 33, n: 65, k: 17 } },
    { op: 'matmul', shape: { m: 1, n: 70, k: 300 } },
    // Threads share the rows of all products, and none of three divides five.
    { op: 'matmul', shape: { b: 5, m: 7, n: 6, k: 9 } },
  ],
  transpose: [
    { op: 'transpose', shape: { rows: 1, cols: 1 } },
    { op: 'transpose', shape: { rows: 33, cols: 70 } },
    { op: 'transpose', shape: { rows: 131, cols: 1 } },
  ],
};

describe.each(hostKernels.map((kernel) => [kernel.id, kernel] as const))('%s', (id, kernel) => {
  test.each(kernel.dtypes)('is right for any shape in %s', async (dtype) => {
    for (const regime of [undefined, ...idsOf(REGIMES)]) {
      for (const shape of problems[kernel.op] ?? []) {
        const problem = { ...shape, dtype, regime } as Problem;
        if (faultOf(problem.op, problem.shape, dtype, { regime })) continue;
        const prepared = await executor.prepare({ kernel: id, tunables: {} }, problem, {
          seed: 2,
          bufferSets: 2,
        });
        await prepared.poison('nan');
        const { ns, wallNs } = await prepared.sample({ dispatches: 2, rotate: true });
        expect(ns).toBeLessThanOrEqual(wallNs);
        expect(prepared.lastSet).toBe(1);
        for (const set of [0, 1]) {
          const output = (await prepared.readOutput(set)).tensor();
          const inputs = inputTensors(problem, { seed: seedOfSet(2, set) });
          const verdict = verify(problem, inputs, output, {
            rounding: roundingOn(problem, { seed: 2 }, {}),
          });
          expect(verdict.worst, shapeText(problem)).toBeNull();
        }
      }
    }
  });
});

// Threads are left out: the loops are those of the blocked kernels, in parts.
const tunedKernels = hostKernels.filter(({ tunables, threads }) => tunables.length > 0 && !threads);

test.each(tunedKernels.map((kernel) => [kernel.id, kernel] as const))(
  '%s is right whatever its tunables',
  async (id, kernel) => {
    const shape = problems[kernel.op]?.[1];
    const problem = { ...shape, dtype: 'f32' } as Problem;
    for (const tunables of coveringVariants(kernel, () => true)) {
      const options = { seed: 2, bufferSets: 1 };
      const prepared = await executor.prepare({ kernel: id, tunables }, problem, options);
      await prepared.poison('nan');
      await prepared.sample({ dispatches: 1, rotate: false });
      const output = (await prepared.readOutput(0)).tensor();
      const verdict = verify(problem, inputTensors(problem, options), output);
      expect(verdict.worst, JSON.stringify(tunables)).toBeNull();
    }
  },
);

test('outputs are poisoned until they are computed', async () => {
  for (const dtype of ['f32', 'i32'] as const) {
    const problem: Problem = { op: 'transpose', shape: { rows: 5, cols: 5 }, dtype };
    const prepared = await executor.prepare(
      { kernel: 'transpose/cpu-naive', tunables: {} },
      problem,
      {
        seed: 2,
        bufferSets: 1,
      },
    );
    const inputs = inputTensors(problem, { seed: 2 });
    const passes = async () => verify(problem, inputs, (await prepared.readOutput(0)).tensor());
    await prepared.poison('nan');
    expect((await passes()).worst).not.toBeNull();
    await prepared.sample({ dispatches: 1, rotate: false });
    expect((await passes()).worst).toBeNull();
    await prepared.poison('nan');
    expect((await passes()).worst).not.toBeNull();
  }
});

test('a kernel of the GPU is refused', async () => {
  const problem: Problem = { op: 'transpose', shape: { rows: 5, cols: 5 }, dtype: 'f32' };
  await expect(
    executor.prepare({ kernel: 'transpose/naive', tunables: {} }, problem, {
      seed: 1,
      bufferSets: 1,
    }),
  ).rejects.toThrow('needs the GPU executor');
});

describe('rows shared among threads', () => {
  test('are all there, once each, in nearly equal parts', () => {
    for (const [rows, parts] of [
      [10, 3],
      [1, 8],
      [8, 8],
      [65_536, 7],
    ] as const) {
      const split = splitRows(rows, parts);
      expect(split).toHaveLength(Math.min(rows, parts));
      expect(split[0]?.first).toBe(0);
      expect(split.at(-1)?.end).toBe(rows);
      for (const [i, { first, end }] of split.entries()) {
        expect(end - first).toBeGreaterThan(0);
        expect(end - first).toBeLessThanOrEqual(Math.ceil(rows / parts));
        expect(first).toBe(split[i - 1]?.end ?? 0);
      }
    }
  });

  test('need a pool, which the message says', async () => {
    const problem: Problem = { op: 'transpose', shape: { rows: 5, cols: 5 }, dtype: 'f32' };
    const variant = { kernel: 'transpose/cpu-parallel', tunables: {} };
    await expect(
      createHostExecutor().prepare(variant, problem, { seed: 1, bufferSets: 1 }),
    ).rejects.toThrow('pass createHostExecutor a pool');
  });
});

test.each(['two neighbours swapped', 'one element zeroed', 'the last product dropped'])(
  'a large product with %s is caught by its exact sums, wherever it is',
  async (how) => {
    const problem: Problem = { op: 'matmul', shape: { m: 330, n: 330, k: 330 }, dtype: 'f32' };
    const [m, k] = [330, 330];
    let at = 0;
    const wrong = hostKernel({
      id: 'matmul/cpu-wrong',
      op: 'matmul',
      rung: 1,
      idea: how,
      dtypes: ['f32'],
      tunables: [],
      run: (_values, { shape }, [a, b], c) => {
        if (!a || !b) throw new TypeError('two inputs');
        multiplyRows(shape, 64, a, b, c, { first: 0, end: m });
        const [row, col] = [Math.floor(at / 330), at % 330];
        const [left = 0, right = 0] = c.subarray(at, at + 2);
        if (how.includes('zeroed')) c[at] = 0;
        else if (how.includes('dropped'))
          c[at] = left - a[row * k + k - 1]! * b[(k - 1) * 330 + col]!;
        else c.set([right, left], at);
      },
    });
    (KERNELS as (typeof wrong)[]).push(wrong);
    try {
      const options = { seed: 5, bufferSets: 1 };
      const prepared = await executor.prepare({ kernel: wrong.id, tunables: {} }, problem, options);
      // At edges, where it looks at elements, and between.
      for (at of [0, 330 * 100 + 101, 330 * 77 + 200, 330 * 330 - 2]) {
        const [found] = await prepared.verifyRegimes();
        const row = Math.floor(at / 330);
        expect(found).toMatchObject({ verdict: { method: 'exact', worst: { row } } });
      }
    } finally {
      (KERNELS as (typeof wrong)[]).pop();
    }
  },
);
