import { describe, expect, test, vi } from 'vitest';
import { coveringVariants } from '../covering.test-helper';
import { feasible } from '../feasible';
import { type InputMode, inputTensors } from '../inputs';
import type { Kernel, TunableValues } from '../kernel';
import type { MatmulShape, OpId, Problem, TransposeShape } from '../problem';
import { KERNELS } from '../registry';
import { shapeText } from '../shape';
import { resolveVariant } from '../variant';
import { verify } from '../verify';
import { limitsOf, useExecutor } from './dawn.test-helper';

/** Square, non-square, odd, size-1, skinny, and not a multiple of any tile. */
const MATMUL_SHAPES: readonly MatmulShape[] = [
  { m: 1, n: 1, k: 1 },
  { m: 64, n: 64, k: 64 },
  { m: 33, n: 65, k: 17 },
  { m: 1, n: 70, k: 37 },
  { m: 70, n: 1, k: 5 },
  { m: 5, n: 7, k: 300 },
  { m: 130, n: 66, k: 1 },
];
const TRANSPOSE_SHAPES: readonly TransposeShape[] = [
  { rows: 1, cols: 1 },
  { rows: 64, cols: 64 },
  { rows: 1, cols: 131 },
  { rows: 131, cols: 1 },
  { rows: 33, cols: 70 },
  { rows: 257, cols: 6 },
  { rows: 100, cols: 127 },
];

/** What tunables are tried on, by op: a shape that no tile divides, then one that all do. */
const TUNED: Readonly<Record<OpId, readonly Problem[]>> = {
  matmul: [
    { op: 'matmul', shape: { m: 37, n: 70, k: 45 }, dtype: 'f32' },
    { op: 'matmul', shape: { m: 32, n: 96, k: 64 }, dtype: 'f32' },
  ],
  transpose: [{ op: 'transpose', shape: { rows: 37, cols: 70 }, dtype: 'f32' }],
};

/** A software GPU takes seconds to compile a large tile, more on a busy machine. */
vi.setConfig({ testTimeout: 240_000 });

const gpu = useExecutor();

/** Runs a variant once on poisoned outputs; the verdict on two buffer sets. */
async function verdictOf(
  kernel: Kernel,
  tunables: TunableValues,
  problem: Problem,
  mode: InputMode = 'uniform',
) {
  const variant = { kernel: kernel.id, tunables };
  const prepared = await gpu.executor.prepare(variant, problem, {
    seed: 7,
    bufferSets: 2,
    inputs: mode,
  });
  try {
    await prepared.sample({ dispatches: 2, rotate: true });
    for (const set of [0, 1]) {
      const { output } = await prepared.readOutput(set);
      const inputs = inputTensors(problem, { seed: 7, set, mode });
      const { computes } = kernel;
      const verdict = verify(problem, inputs, output, { computes, exact: mode === 'exact' });
      if (verdict.worst) return { set, ...verdict };
    }
    return null;
  } finally {
    prepared.destroy();
  }
}

function problemsOf(kernel: Kernel, dtype: Problem['dtype']): Problem[] {
  return kernel.op === 'matmul'
    ? MATMUL_SHAPES.map((shape) => ({ op: 'matmul', shape, dtype }))
    : TRANSPOSE_SHAPES.map((shape) => ({ op: 'transpose', shape, dtype }));
}

const gpuKernels = KERNELS.filter((kernel) => kernel.runsOn === 'gpu');

describe.each(gpuKernels.map((kernel) => [kernel.id, kernel] as const))('%s', (_id, kernel) => {
  // Tunables meet the shape that no tile divides, or, made for the others, one that
  // every tile divides; shapes and dtypes meet the default variant. More would
  // multiply axes that cannot interact.
  test('is right whatever its tunables', async () => {
    const limits = limitsOf(gpu.device);
    const problemFor = (tunables: TunableValues) =>
      TUNED[kernel.op].find(
        (problem) => feasible({ kernel: kernel.id, tunables }, problem, limits).ok,
      );
    const variants = coveringVariants(kernel, (values) => problemFor(values) !== undefined);
    expect(variants).not.toEqual([]);
    for (const tunables of variants) {
      const problem = problemFor(tunables);
      if (!problem) throw new Error('a covering variant runs');
      const { address } = resolveVariant(kernel.id, tunables);
      expect(await verdictOf(kernel, tunables, problem), address).toBeNull();
    }
  });

  test.each(kernel.dtypes)('is right for any shape in %s', async (dtype) => {
    const { tunables } = resolveVariant(kernel.id);
    for (const problem of problemsOf(kernel, dtype)) {
      if (!feasible({ kernel: kernel.id, tunables }, problem, limitsOf(gpu.device)).ok) continue;
      expect(await verdictOf(kernel, tunables, problem), shapeText(problem)).toBeNull();
    }
  });

  test('is exact on integers', async () => {
    const { tunables } = resolveVariant(kernel.id);
    for (const problem of problemsOf(kernel, 'f32')) {
      expect(await verdictOf(kernel, tunables, problem, 'exact'), shapeText(problem)).toBeNull();
    }
  });
});
