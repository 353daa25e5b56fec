import { existsSync } from 'node:fs';
import { describe, expect, test, vi } from 'vitest';
import { feasible } from '../kernel/feasible';
import type { GpuKernel, TunableValues } from '../kernel/kernel';
import { KERNELS } from '../kernel/registry';
import type { Problem } from '../problem/problem';
import { seedOfSet } from '../verify/fills';
import { inputTensors } from '../verify/inputs';
import { outputCheck } from '../verify/verify';

/**
 * Kernels on subgroups of four threads: SwiftShader, as Chromium brings it, instead of this machine's
 * device. Barriers cost it a hundred times as much, so shapes are small.
 */

const DRIVER = '/usr/lib/chromium/vk_swiftshader_icd.json';

// Before Dawn looks for drivers.
vi.hoisted(() => {
  process.env.VK_DRIVER_FILES = '/usr/lib/chromium/vk_swiftshader_icd.json';
  process.env.VK_ICD_FILENAMES = '/usr/lib/chromium/vk_swiftshader_icd.json';
});
const { limitsOf, useExecutor } = await import('./dawn.test-helper');

const SHAPES = [
  { op: 'matmul', shape: { m: 33, n: 35, k: 37 }, dtype: 'f32' },
  { op: 'matmul', shape: { m: 3, n: 40, k: 136 }, dtype: 'f32' },
  { op: 'matmul', shape: { m: 40, n: 2, k: 136 }, dtype: 'f32' },
  { op: 'transpose', shape: { rows: 33, cols: 65 }, dtype: 'f32' },
] as const satisfies readonly Problem[];

const kernels = KERNELS.filter((kernel): kernel is GpuKernel => kernel.runsOn === 'gpu');

describe.skipIf(!existsSync(DRIVER))('on subgroups of four', () => {
  const gpu = useExecutor();

  test('the device has them, and no other', () => {
    const sizes = limitsOf(gpu.device).features.filter((name) => name.startsWith('subgroup-size'));
    expect(sizes.filter((name) => /\d$/.test(name))).toEqual(['subgroup-size-4']);
  });

  test.each(kernels.map((kernel) => [kernel.id, kernel] as const))(
    '%s is right',
    async (_id, kernel) => {
      const reasons: string[] = [];
      let runs = 0;
      for (const problem of SHAPES) {
        if (problem.op !== kernel.op || !kernel.dtypes.includes(problem.dtype)) continue;
        for (const tunables of tried(kernel)) {
          const can = feasible({ kernel: kernel.id, tunables }, problem, limitsOf(gpu.device));
          if (!can.ok) {
            reasons.push(can.why);
            continue;
          }
          runs++;
          expect(await worstOf(kernel, tunables, problem), JSON.stringify(tunables)).toBeNull();
        }
      }
      // Kernels of halves need f16, which the device does not have.
      if (kernel.dtypes.includes('f32')) expect(runs, reasons.join('; ')).toBeGreaterThan(0);
    },
  );

  async function worstOf(kernel: GpuKernel, tunables: TunableValues, problem: Problem) {
    const variant = { kernel: kernel.id, tunables };
    const prepared = await gpu.executor.prepare(variant, problem, { seed: 7, bufferSets: 1 });
    try {
      await prepared.poison('nan');
      await prepared.sample({ dispatches: 1, rotate: false });
      const { computes, errorGrowth } = kernel;
      const inputs = inputTensors(problem, { seed: seedOfSet(7, 0) });
      const check = outputCheck(problem, inputs, { computes, errorGrowth });
      return check((await prepared.readOutput(0)).tensor()).worst;
    } finally {
      prepared.destroy();
    }
  }
});

/** Tunables that change what a shader does with subgroups, and small tiles. */
const tried = ({ tunables }: GpuKernel): TunableValues[] => {
  const has = (name: string) => tunables.some((tunable) => tunable.name === name);
  const small = has('BM') ? { BM: 32, BN: 32, BK: 16, TM: 4, TN: 8, LANES_DOWN: 8 } : {};
  const own = Object.fromEntries(Object.entries(small).filter(([name]) => has(name)));
  if (has('REDUCE') && has('DEEP')) return [{}, { REDUCE: 4, LANES: 2, DEEP: 32 }];
  if (has('REDUCE')) return ['workgroup', 'subgroup'].map((REDUCE) => ({ REDUCE }));
  return [own];
};
