import { expect, test } from 'vitest';
import { limitsOf, useExecutor } from '../gpu/dawn.test-helper';
import { expectCaught, faultsOf } from '../gpu/epilogues.test-helper';
import { subgroupMatrix } from '../matmul/08-subgroup-matrix';
import { subgroupMatrixShort } from '../matmul/15-subgroup-matrix-short';
import { emulated } from '../matmul/emulated-fragments.test-helper';
import { DTYPES, type Dtype, idsOf } from '../problem/dtype';
import { EPILOGUES } from '../problem/epilogue';
import { type DeviceLimits, feasible } from './feasible';
import type { GpuKernel, TunableValues } from './kernel';
import {
  epilogueProblem,
  expectFinished,
  MUTATIONS,
  mutant,
  SHAPES,
} from './kernel-epilogues.test-helper';
import { kernelById, kernelsOf } from './registry';
import { specialise } from './specialise';
import { defaultsOf } from './variant';

const gpu = useExecutor();
const floatsOf = (kernel: GpuKernel) => kernel.dtypes.filter((dtype) => !DTYPES[dtype].isInteger);

const lengthOf = (kernel: GpuKernel, values: TunableValues) =>
  specialise(kernel, values, floatsOf(kernel)[0] ?? 'f32').length;

/** Those whose own tunables a software GPU compiles in seconds; long ones come with small tiles below. */
const KERNELS = kernelsOf('matmul').filter(
  (kernel): kernel is GpuKernel =>
    kernel.runsOn === 'gpu' && lengthOf(kernel, defaultsOf(kernel.tunables)) < 12_000,
);

/** A variant with a short source, since compiling takes the time: each tunable in turn at its shortest. */
function shortOf(kernel: GpuKernel, dtype: Dtype, limits: DeviceLimits): TunableValues {
  const problem = epilogueProblem(SHAPES[0], dtype, 'relu');
  let best: TunableValues = defaultsOf(kernel.tunables);
  for (const { name, values } of kernel.tunables) {
    for (const value of values) {
      const tunables = { ...best, [name]: value };
      const runs = feasible({ kernel: kernel.id, tunables }, problem, limits).ok;
      if (runs && lengthOf(kernel, tunables) < lengthOf(kernel, best)) best = tunables;
    }
  }
  return best;
}

// Which epilogue it is makes no difference to a kernel, but for a bias, which moves its bindings.
test.each(
  KERNELS.flatMap((kernel) => floatsOf(kernel).map((dtype) => [kernel.id, dtype, kernel] as const)),
)('%s is right with an epilogue in %s', async (_id, dtype, kernel) => {
  const limits = limitsOf(gpu.device);
  const variant = { kernel, tunables: shortOf(kernel, dtype, limits) };
  const [first] = floatsOf(kernel);
  for (const shape of dtype === first ? SHAPES : SHAPES.slice(0, 1)) {
    const problem = epilogueProblem(shape, dtype, 'bias-silu');
    const why = await expectFinished(gpu.executor, limits, variant, problem);
    expect(why ?? '').toMatch(/^$|not a batch|subgroup|the product alone/);
  }
});

const SMALL = { BM: 32, BN: 32, BK: 32, TM: 4, TN: 4, LANES_DOWN: 4, UNROLL: 1 };
test.each([
  ['matmul/warp-tile', { ...SMALL, SPLIT: 2 }],
  ['matmul/stream-k', SMALL],
  ['matmul/warp-elements', SMALL],
] as const)('small tiles of %s are right with an epilogue', async (id, change) => {
  const kernel = kernelById(id) as GpuKernel;
  const variant = { kernel, tunables: { ...defaultsOf(kernel.tunables), ...change } };
  for (const shape of SHAPES.slice(0, 2)) {
    const problem = epilogueProblem(shape, 'f32', 'bias-gelu');
    expect(await expectFinished(gpu.executor, limitsOf(gpu.device), variant, problem)).toBeNull();
  }
});

test.each(MUTATIONS)('%s is caught in a second pass', async (_what, epilogue, right, wrong) => {
  const kernel = kernelById('matmul/split-k') as GpuKernel;
  await expectCaught(gpu.executor, mutant(kernel, epilogue, [right, wrong]), 'f32');
});

test.each(idsOf(EPILOGUES))('%s is right in every dtype', async (epilogue) => {
  const limits = limitsOf(gpu.device);
  const kernel = kernelById('matmul/naive') as GpuKernel;
  const variant = { kernel, tunables: { BLOCK: 8, MAPPING: 'row-x' } };
  for (const dtype of floatsOf(kernel)) {
    const problem = epilogueProblem(SHAPES[2], dtype, epilogue);
    expect(await expectFinished(gpu.executor, limits, variant, problem)).toBeNull();
  }
});

// Where there are no matrix units.
const TILE = { BM: 32, BN: 32, BK: 32, WM: 16, WN: 32 };
test.each([
  ['f16', {}],
  ['f16', { SPLIT: 2 }],
  ['f16acc16', {}],
  ['f16', { FRAGMENT: 8, WN: 16 }],
  ['f16-q4', {}],
] as const)('fragments are right with an epilogue in %s, %j', async (dtype, change) => {
  const kernel = emulated('FRAGMENT' in change ? subgroupMatrixShort : subgroupMatrix);
  for (const shape of SHAPES) {
    const problem = epilogueProblem(shape, dtype, 'bias-silu');
    const { faults } = await faultsOf(gpu.executor, kernel, problem, { ...TILE, ...change });
    expect([problem, faults]).toEqual([problem, []]);
  }
});
