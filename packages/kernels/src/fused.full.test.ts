import { expect, test } from 'vitest';
import { coveringVariants } from './covering.test-helper';
import { DTYPES, type Dtype, idsOf } from './dtype';
import { EPILOGUES } from './epilogue';
import { type DeviceLimits, feasible } from './feasible';
import { expectFused, fusedProblem, SHAPES } from './fused.test-helper';
import { limitsOf, useExecutor } from './gpu/dawn.test-helper';
import { faultsOf } from './gpu/epilogues.test-helper';
import type { GpuKernel, TunableValues } from './kernel';
import { subgroupMatrix } from './matmul/08-subgroup-matrix';
import { subgroupMatrixShort } from './matmul/17-subgroup-matrix-short';
import { emulated } from './matmul/emulated-fragments.test-helper';
import { kernelById, kernelsOf } from './registry';
import { defaultsOf } from './variant';

const gpu = useExecutor();
const KERNELS = kernelsOf('matmul').filter(
  (kernel): kernel is GpuKernel => kernel.runsOn === 'gpu',
);

const isFloat = (dtype: Dtype) => !DTYPES[dtype].isInteger;

/** By kernel, the variant with the shortest source that runs in each dtype: compiling takes the time. */
const shortest = new Map<GpuKernel, TunableValues>();
const shortestOf = (kernel: GpuKernel, limits: DeviceLimits): TunableValues => {
  const problems = kernel.dtypes
    .filter(isFloat)
    .map((dtype) => fusedProblem(SHAPES[0], dtype, 'relu'));
  const known = shortest.get(kernel);
  if (known) return known;
  const [found = defaultsOf(kernel.tunables)] = coveringVariants(
    kernel,
    (tunables) =>
      problems.every((problem) => feasible({ kernel: kernel.id, tunables }, problem, limits).ok),
    1,
  );
  shortest.set(kernel, found);
  return found;
};

// A bias moves bindings, an activation alone does not; which one it is makes no difference to a kernel.
test.each(
  KERNELS.flatMap((kernel) =>
    kernel.dtypes.filter(isFloat).map((dtype) => [kernel.id, dtype, kernel] as const),
  ),
)('%s is right with epilogues in %s', async (_id, dtype, kernel) => {
  const limits = limitsOf(gpu.device);
  const variant = { kernel, tunables: shortestOf(kernel, limits) };
  const reasons = new Set<string>();
  for (const shape of SHAPES) {
    const problem = fusedProblem(shape, dtype, 'bias-silu');
    reasons.add((await expectFused(gpu.executor, limits, variant, problem)) ?? '');
  }
  const alone = fusedProblem(SHAPES[0], dtype, 'relu');
  reasons.add((await expectFused(gpu.executor, limits, variant, alone)) ?? '');
  for (const reason of reasons) expect(reason).toMatch(/^$|not a batch|subgroup|in C/);
});

test.each(idsOf(EPILOGUES))('%s is right in every dtype', async (epilogue) => {
  const limits = limitsOf(gpu.device);
  const kernel = kernelById('matmul/naive') as GpuKernel;
  for (const dtype of kernel.dtypes.filter(isFloat)) {
    for (const shape of SHAPES) {
      const problem = fusedProblem(shape, dtype, epilogue);
      expect(
        await expectFused(gpu.executor, limits, { kernel, tunables: { BLOCK: 8 } }, problem),
      ).toBeNull();
    }
  }
});

// Where there are no matrix units.
const TILE = { BM: 32, BN: 32, BK: 32, WM: 16, WN: 32 };
test.each([
  ['f16', {}],
  ['f16', { SPLIT: 2 }],
  ['f16acc16', {}],
  ['f16acc16', { SPLIT: 2 }],
  ['f16', { FRAGMENT_N: 8 }],
  ['f16', { FRAGMENT: 8, WN: 16 }],
  ['f16-nt', {}],
  ['f16-q4', {}],
] as const)('fragments are right with epilogues in %s, %j', async (dtype, change) => {
  const kernel = emulated('FRAGMENT' in change ? subgroupMatrixShort : subgroupMatrix);
  for (const shape of SHAPES) {
    for (const epilogue of ['relu', 'bias-silu'] as const) {
      const problem = fusedProblem(shape, dtype, epilogue);
      const { faults } = await faultsOf(gpu.executor, kernel, problem, { ...TILE, ...change });
      expect([problem, faults]).toEqual([problem, []]);
    }
  }
});
