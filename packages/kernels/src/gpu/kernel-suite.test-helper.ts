import { describe, expect, type TestContext, test, vi } from 'vitest';
import { coveringVariants, typicalVariant } from '../kernel/covering.test-helper';
import { type DeviceLimits, type Feasibility, feasible } from '../kernel/feasible';
import { type GpuKernel, type Kernel, passesOf, type TunableValues } from '../kernel/kernel';
import { kernelsOf } from '../kernel/registry';
import { resolveVariant } from '../kernel/variant';
import { DTYPES, packedDots } from '../problem/dtype';
import type { OpId } from '../problem/ops';
import type { Problem, Shape } from '../problem/problem';
import { faultOf, shapeText } from '../problem/shape';
import { seedOfSet } from '../verify/fills';
import { inputTensors } from '../verify/inputs';
import { outputCheck } from '../verify/verify';
import { limitsOf, useExecutor } from './dawn.test-helper';

/** The shapes that an op's kernels are tested on. */
export interface SuiteShapes {
  /** Every kernel runs these in every dtype. */
  readonly shapes: readonly Shape[];
  /** Tunable values run the first of these they support: one that no tile divides, then others. */
  readonly tuned: readonly Shape[];
  /** Kernels that take batches run these, with K split and without; the others refuse them. */
  readonly batches?: readonly Shape[];
}

/** Most threads of a dispatch on which tunable values are tested: more prove the same. */
const MOST_THREADS = 2 ** 23;

/**
 * Longest source, in lines, whose tunables `npm test` tries: its time goes to compiling, which takes
 * longer than in proportion to the lines. The full set tries longer ones too.
 */
const QUICK_LINES = 160;

/** Takes half a minute for its tunables, most of them those of warp-tile. */
const SLOWEST = 'matmul/stream-k';

const threadsOf = (kernel: GpuKernel, values: TunableValues, problem: Problem): number =>
  product(kernel.needs(values, problem.dtype).workgroupSize) *
  passesOf(kernel, values, problem).reduce((sum, { workgroups }) => sum + product(workgroups), 0);

const product = (sides: readonly number[]) => sides.reduce((all, side) => all * side, 1);

const isOfIntegers = (dtype: Problem['dtype']): boolean =>
  DTYPES[dtype].isInteger || packedDots(dtype).length > 0;

/**
 * The correctness matrix of an op's GPU kernels on this machine's device. Tunable values are tested
 * on one shape, and shapes and dtypes with one variant: anything more would multiply axes that
 * cannot interact.
 *
 * @param set all, or of products `npm test`'s part (quick) and what it leaves to the full set: sums of
 * integers, in blocks or not, and tunable values in sources of any length that a software GPU compiles
 */
export function describeKernels(
  op: OpId,
  { shapes, tuned, batches = [] }: SuiteShapes,
  set: 'all' | 'quick' | 'full' = 'all',
): void {
  // A software GPU takes seconds to compile a large tile, more on a busy machine.
  vi.setConfig({ testTimeout: 240_000 });
  const gpu = useExecutor();
  const kernels = kernelsOf(op).filter((kernel) => kernel.runsOn === 'gpu');
  /** Of a shape as it is or, where the dtype has blocks, with whole ones. */
  const problemOf = (shape: Shape, dtype: Problem['dtype']): Problem => {
    const { field = '', multiple = 1 } = faultOf(op, shape, dtype) ?? {};
    const rounded = multiple * Math.ceil(Number(Reflect.get(shape, field)) / multiple);
    return { op, shape: multiple > 1 ? { ...shape, [field]: rounded } : shape, dtype } as Problem;
  };
  let limits: DeviceLimits | undefined;
  const canRun = (kernel: Kernel, tunables: TunableValues, problem: Problem): Feasibility => {
    limits ??= limitsOf(gpu.device);
    return feasible({ kernel: kernel.id, tunables }, problem, limits);
  };

  /** Runs the kernel's typical variant on every shape. */
  async function tryShapes(
    kernel: Kernel,
    dtype: Problem['dtype'],
    { skip }: TestContext,
  ): Promise<void> {
    const tunables = typicalVariant(kernel, (values) =>
      shapes.every((shape) => canRun(kernel, values, problemOf(shape, dtype)).ok),
    );
    for (const shape of shapes) {
      const problem = problemOf(shape, dtype);
      const can = canRun(kernel, tunables, problem);
      if (!can.ok) skip(can.why);
      const verdict = await wrongVerdict(kernel, tunables, problem);
      expect(verdict, shapeText(problem)).toBeNull();
    }
  }

  /** Runs a variant on poisoned outputs of two buffer sets and in all regimes; null when it is right. */
  async function wrongVerdict(kernel: Kernel, tunables: TunableValues, problem: Problem) {
    const options = { seed: 7, bufferSets: 2 };
    const prepared = await gpu.executor.prepare({ kernel: kernel.id, tunables }, problem, options);
    try {
      await prepared.poison('nan');
      await prepared.sample({ dispatches: 2, rotate: true });
      const { computes, errorGrowth } = kernel;
      for (const set of [0, 1]) {
        const inputs = inputTensors(problem, { seed: seedOfSet(7, set) });
        const check = outputCheck(problem, inputs, { computes, errorGrowth });
        const verdict = check((await prepared.readOutput(set)).tensor());
        if (verdict.worst) return { set, ...verdict };
      }
      const others = await prepared.verifyRegimes();
      return others.find(({ verdict }) => verdict.worst) ?? null;
    } finally {
      prepared.destroy();
    }
  }

  describe.each(kernels.map((kernel) => [kernel.id, kernel] as const))('%s', (_id, kernel) => {
    test('is right whatever its tunables', async ({ skip }) => {
      if (set === 'quick' && kernel.id === SLOWEST) skip('the full set tries them');
      const [dtype = 'f32'] = kernel.dtypes;
      const problems = tuned.map((shape) => problemOf(shape, dtype));
      const problemFor = (tunables: TunableValues) =>
        problems.find(
          (problem) =>
            canRun(kernel, tunables, problem).ok &&
            threadsOf(kernel, tunables, problem) <= MOST_THREADS,
        );
      const variants = coveringVariants(
        kernel,
        (values) => problemFor(values) !== undefined,
        set === 'full' ? undefined : QUICK_LINES,
      );
      if (variants.length === 0) skip('this device runs no variant of it');
      for (const tunables of variants) {
        const problem = problemFor(tunables);
        if (!problem) throw new Error('a covering variant runs');
        const { address } = resolveVariant(kernel.id, tunables);
        const verdict = await wrongVerdict(kernel, tunables, problem);
        expect(verdict, address).toBeNull();
      }
    });

    const dtypes = kernel.dtypes.filter(
      (dtype) => set === 'all' || isOfIntegers(dtype) === (set === 'full'),
    );
    test.for(dtypes)('is right for any shape in %s', async (dtype, context) => {
      await tryShapes(kernel, dtype, context);
    });

    if (set === 'full') return;

    test.runIf(batches.length > 0)('is right for any batch, or takes none', async ({ skip }) => {
      const [dtype = 'f32'] = kernel.dtypes;
      const problems = batches.map((shape) => problemOf(shape, dtype));
      if (kernel.runsOn === 'gpu' && !kernel.batches) {
        const why = 'computes one product per dispatch, not a batch';
        for (const problem of problems) expect(canRun(kernel, {}, problem)).toMatchObject({ why });
        return;
      }
      const [one] = coveringVariants(kernel, (values) =>
        problems.every((problem) => canRun(kernel, values, problem).ok),
      );
      if (!one) return skip('this device runs no variant of it');
      for (const tunables of 'SPLIT' in one ? [1, 4].map((SPLIT) => ({ ...one, SPLIT })) : [one]) {
        for (const problem of problems) {
          const verdict = await wrongVerdict(kernel, tunables, problem);
          expect(verdict, `${shapeText(problem)} ${JSON.stringify(tunables)}`).toBeNull();
        }
      }
    });
  });
}
