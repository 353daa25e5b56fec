import { expect, test } from 'vitest';
import { limitsOf, useExecutor } from '../gpu/dawn.test-helper';
import { feasible } from '../kernel/feasible';
import { passesOf } from '../kernel/kernel';
import { resolveVariant } from '../kernel/variant';
import type { Problem } from '../problem/problem';
import { inputTensors } from '../verify/inputs';
import { streamK } from './09-stream-k';
import { verify } from './product.test-helper';

const gpu = useExecutor();
const tile = { BM: 64, BN: 32, BK: 32, TM: 4, TN: 4, UNROLL: 1, LANES_DOWN: 8, WAVE: 16 };

// Tiles of 64 x 32, steps of 32: what is left after whole rounds of 16 is shared.
test.each([
  ['all in whole rounds', { m: 256, n: 128, k: 80 }, [16]],
  ['one left, cut into more shares than it has steps', { m: 1088, n: 32, k: 80 }, [32, 2]],
  ['most left, shares that span two tiles', { m: 250, n: 222, k: 301 }, [32, 24]],
  ['none whole', { m: 130, n: 96, k: 160 }, [16, 18]],
])('%s', async (_what, shape, groups) => {
  const problem: Problem<'matmul'> = { op: 'matmul', shape, dtype: 'f32' };
  const { tunables } = resolveVariant(streamK.id, tile);
  const variant = { kernel: streamK.id, tunables };
  expect(feasible(variant, problem, limitsOf(gpu.device))).toEqual({ ok: true });
  expect(passesOf(streamK, tunables, problem).map(({ workgroups: [x] }) => x)).toEqual(groups);
  const prepared = await gpu.executor.prepare(variant, problem, { seed: 7, bufferSets: 1 });
  await prepared.poison('nan');
  await prepared.sample({ dispatches: 2, rotate: false });
  const output = (await prepared.readOutput(0)).tensor();
  prepared.destroy();
  expect(verify(problem, inputTensors(problem, { seed: 7 }), output).worst).toBeNull();
});
