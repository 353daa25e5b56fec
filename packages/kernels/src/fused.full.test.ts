import { expect, test } from 'vitest';
import { idsOf } from './dtype';
import { EPILOGUES } from './epilogue';
import { expectFused, fusedProblem, SHAPES } from './fused.test-helper';
import { limitsOf, useExecutor } from './gpu/dawn.test-helper';
import { faultsOf } from './gpu/epilogues.test-helper';
import type { GpuKernel } from './kernel';
import { subgroupMatrix } from './matmul/08-subgroup-matrix';
import { subgroupMatrixShort } from './matmul/17-subgroup-matrix-short';
import { emulated } from './matmul/emulated-fragments.test-helper';
import { kernelsOf } from './registry';

const gpu = useExecutor();
const KERNELS = kernelsOf('matmul').filter(
  (kernel): kernel is GpuKernel => kernel.runsOn === 'gpu',
);

test.each(
  KERNELS.flatMap((kernel) =>
    kernel.dtypes
      .filter((dtype) => dtype !== 'i32')
      .map((dtype) => [kernel.id, dtype, kernel] as const),
  ),
)('%s is right with every epilogue in %s', async (_id, dtype, kernel) => {
  const limits = limitsOf(gpu.device);
  const reasons = new Set<string | null>();
  for (const shape of SHAPES) {
    for (const epilogue of idsOf(EPILOGUES)) {
      const problem = fusedProblem(shape, dtype, epilogue);
      reasons.add(await expectFused(gpu.executor, limits, kernel, problem));
    }
  }
  for (const reason of reasons) {
    if (reason !== null) expect(reason).toMatch(/not a batch|subgroup|keeps its sums in C/);
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
