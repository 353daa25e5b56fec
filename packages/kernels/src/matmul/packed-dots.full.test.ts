import { expect, test } from 'vitest';
import { limitsOf, useExecutor } from '../gpu/dawn.test-helper';
import { feasible } from '../kernel/feasible';
import type { Dtype } from '../problem/dtype';
import type { Problem } from '../problem/problem';
import { shapeText } from '../problem/shape';

const gpu = useExecutor();

const SMALL = { BM: 32, BN: 32, BK: 32, TM: 4, TN: 4, LANES_DOWN: 4 };

// What a tile of bytes has of its own: blocks and their scales, in each form of its loops.
test.each([
  ['loads between blocks', 'q8-q8', { BK: 16, TM: 8, UNROLL: 16, LOADS: 'spread' }],
  ['blocks in a loop, steps too', 'q8-q8', { UNROLL: 1, A_TILE: 'swizzled' }],
  ['two blocks per turn, K split', 'q8-q8', { UNROLL: 16, SPLIT: 2 }],
  ['words in a loop, K split', 'i8-nt', { UNROLL: 4, SPLIT: 4, A_TILE: 'swizzled' }],
  ['to a constant K', 'i8-nt', { UNROLL: 1, TILE_LOOP: 'bounded' }],
] as const)('warp-tile of bytes is right: %s', async (_what, dtype: Dtype, change) => {
  const variant = { kernel: 'matmul/warp-tile', tunables: { ...SMALL, ...change } };
  // Whole and partial tiles of K, rows of C that start on a vec4 or not, a batch.
  for (const shape of [
    { m: 33, n: 68, k: 288 },
    { m: 5, n: 35, k: 160 },
    { b: 3, m: 7, n: 36, k: 64 },
    ...(dtype === 'i8-nt' ? [{ m: 9, n: 33, k: 140 }] : []),
  ]) {
    const problem: Problem<'matmul'> = { op: 'matmul', shape, dtype };
    expect(feasible(variant, problem, limitsOf(gpu.device))).toEqual({ ok: true });
    const prepared = await gpu.executor.prepare(variant, problem, { seed: 7, bufferSets: 1 });
    try {
      await prepared.poison('nan');
      await prepared.sample({ dispatches: 1, rotate: false });
      const { worst, reason } = await prepared.verify([0]);
      expect([shapeText(problem), worst, reason]).toEqual([shapeText(problem), null, null]);
    } finally {
      prepared.destroy();
    }
  }
});
