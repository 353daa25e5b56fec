import { type GpuKernel, KERNELS, kernelById } from '@tilemark/kernels';

/** Kernels that harm who runs them. Registered by tests and by the device process of tests only. */

function naive(): GpuKernel {
  const kernel = kernelById('matmul/naive');
  if (kernel.runsOn !== 'gpu') throw new Error('matmul/naive runs on a GPU.');
  return kernel;
}

const STORE = 'store_c(row, col, sum);';

/** The naive kernel with one change of its source. */
function changed(id: string, from: string, to: string): GpuKernel {
  const kernel = naive();
  const { wgsl } = kernel;
  if (typeof wgsl === 'string') throw new Error('matmul/naive is written otherwise by now.');
  return {
    ...kernel,
    id: `matmul/poison-${id}`,
    wgsl: (values, dtype, written) => {
      const source = wgsl(values, dtype, written);
      if (!source.includes(from)) throw new Error('matmul/naive is written otherwise by now.');
      return source.replace(from, to);
    },
  };
}

/** The same with another last line. */
const ending = (id: string, line: string): GpuKernel => changed(id, STORE, line);

/** What the device process of these tests looks for in a shader, and then destroys its device. */
export const LOSE_DEVICE = '// The device is lost over this.';

/** Statements that no optimiser can fold: each takes a register allocator some time. */
const manyStatements = (count: number): string =>
  Array.from(
    { length: count },
    (_, at) => `v${at % 64} = fract(v${(at * 7 + 3) % 64} * v${(at * 13 + 5) % 64} + ${at}.5);`,
  ).join('\n  ');

const slow = (id: string, statements: number): GpuKernel =>
  ending(
    id,
    `${Array.from({ length: 64 }, (_, at) => `var v${at} = sum + Acc(${at});`).join('\n  ')}
  ${manyStatements(statements)}
  if (v0 == 12345.678) { sum = v0; }
  ${STORE}`,
  );

const poison = (): readonly GpuKernel[] => [
  { ...naive(), id: 'matmul/poison-broken', wgsl: 'fn main( {' },
  // Zero is not known to be zero before it runs.
  ending(
    'nan',
    'let zero = f32(shape.m - min(shape.m, shape.m)); C[c_at(row, col)] = T(zero / zero);',
  ),
  ending('out-of-bounds', `${STORE}\n  C[arrayLength(&C) - 1u] = T(1);`),
  // Ends after hours, which no compiler can tell.
  ending(
    'endless',
    `var turns = 0u;
  loop {
    if (turns > 4000000000u + shape.m) { break; }
    for (var i = 0u; i < 4000000000u; i++) { sum = fract(sum * 1.1 + Acc(i)); }
    turns++;
  }
  ${STORE}`,
  ),
  // Some seconds for a compiler, and minutes.
  slow('slow-to-compile', 3_000),
  slow('slower-to-compile', 200_000),
  ending('lost', `${STORE}\n  ${LOSE_DEVICE}`),
  // Does the work where the output is poisoned, as before it is verified, and nothing while it is timed.
  changed(
    'idle',
    'var sum = Acc(0);',
    'if (bitcast<u32>(C[c_at(row, col)]) != 0x7fc17fc1u) { return; }\n  var sum = Acc(0);',
  ),
];

/** Adds them to the registry of this process. */
export function registerPoison(): void {
  (KERNELS as GpuKernel[]).push(...poison());
}
