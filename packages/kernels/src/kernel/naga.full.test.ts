import { expect, test } from 'vitest';
import { DTYPES } from '../problem/dtype';
import { opById } from '../problem/ops';
import type { Problem } from '../problem/problem';
import type { GpuKernel, TunableValues } from './kernel';
import { nagaFault, needsTint } from './naga.test-helper';
import { KERNELS } from './registry';
import { specialise } from './specialise';
import { defaultsOf } from './variant';

const read = KERNELS.filter(
  (kernel): kernel is GpuKernel => kernel.runsOn === 'gpu' && !needsTint(kernel),
);

/** Each value of each tunable, with defaults for the others. */
function variantsOf({ constraints, tunables }: GpuKernel): TunableValues[] {
  const defaults = defaultsOf(tunables);
  return tunables
    .flatMap(({ name, values }) => values.map((value) => ({ ...defaults, [name]: value })))
    .filter((values) => constraints.every(({ holds }) => holds(values)));
}

test.each(read.map((kernel) => [kernel.id, kernel] as const))(
  'naga reads every tunable of %s, batches and epilogues',
  (_id, kernel) => {
    const isFused = kernel.op === 'matmul' && kernel.fuses !== false;
    for (const values of variantsOf(kernel)) {
      for (const dtype of kernel.dtypes) {
        const problem = { op: kernel.op, shape: opById(kernel.op).square(64), dtype } as Problem;
        if (!(kernel.problemConstraints ?? []).every(({ holds }) => holds(values, problem)))
          continue;
        const epilogue = isFused && !DTYPES[dtype].isInteger ? ('bias-gelu' as const) : undefined;
        for (const written of [undefined, { batched: kernel.batches === true, epilogue }]) {
          const source = specialise(kernel, values, dtype, written, 'naga');
          expect([values, dtype, written, nagaFault(source)]).toEqual([
            values,
            dtype,
            written,
            null,
          ]);
        }
      }
    }
  },
  900_000,
);
