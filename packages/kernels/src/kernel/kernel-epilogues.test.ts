import { expect, test } from 'vitest';
import { limitsOf, useExecutor } from '../gpu/dawn.test-helper';
import { expectCaught } from '../gpu/epilogues.test-helper';
import { DTYPES, idsOf } from '../problem/dtype';
import { EPILOGUES } from '../problem/epilogue';
import type { GpuKernel } from './kernel';
import {
  epilogueProblem,
  expectFinished,
  MUTATIONS,
  mutant,
  SHAPES,
} from './kernel-epilogues.test-helper';
import { kernelById, kernelsOf } from './registry';
import { sourceFor } from './specialise';
import { defaultsOf } from './variant';

const gpu = useExecutor();
const gpuKernel = (id: string) => kernelById(`matmul/${id}`) as GpuKernel;

// Every kernel, epilogue and dtype: kernel-epilogues.full.test.ts.
test.each([
  // Elements; vec4s, and parts of K that a second pass adds up.
  ['naive', 'bias-gelu', 'f32', {}],
  ['few-rows', 'bias-silu', 'f16acc16', { LANES: 8, DEEP: 8, SPLIT: 2 }],
] as const)('%s puts its sums through %s in %s', async (id, epilogue, dtype, tunables) => {
  const limits = limitsOf(gpu.device);
  const kernel = gpuKernel(id);
  for (const shape of SHAPES) {
    const problem = epilogueProblem(shape, dtype, epilogue);
    const why = await expectFinished(gpu.executor, limits, { kernel, tunables }, problem);
    if (why !== null) expect(why).toBe('computes one product per dispatch, not a batch');
  }
});

test.each(MUTATIONS)('%s is caught in our own kernels', async (_what, epilogue, right, wrong) => {
  await expectCaught(gpu.executor, mutant(gpuKernel('naive'), epilogue, [right, wrong]), 'f32');
});

test('no sum of a kernel is stored past an epilogue', () => {
  const shape = { m: 64, n: 64, k: 64 };
  const problems = (kernel: GpuKernel) =>
    kernel.dtypes
      .filter((dtype) => !DTYPES[dtype].isInteger)
      .flatMap((dtype) =>
        idsOf(EPILOGUES).map((epilogue) => ({ op: 'matmul', shape, dtype, epilogue }) as const),
      );
  for (const kernel of kernelsOf('matmul')) {
    if (kernel.runsOn !== 'gpu' || kernel === gpuKernel('naive-global')) continue;
    for (const problem of problems(kernel)) {
      const source = sourceFor(kernel, defaultsOf(kernel.tunables), problem);
      const writes = source.match(/^ *C[48]?\[.*\] \S?= .*$/gm) ?? [];
      // Halves of fragments are finished before they are rounded.
      const past = writes.filter(
        (write) => !write.includes('finished') && !/ (h|bitcast.*);$/.test(write),
      );
      expect([kernel.id, writes.length > 0, past]).toEqual([kernel.id, true, []]);
      expect(source).toContain('finished');
    }
  }
});
