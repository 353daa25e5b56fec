import { expect } from 'vitest';
import type { Executor } from '../executor';
import { faultsOf } from '../gpu/epilogues.test-helper';
import type { Epilogue } from '../problem/epilogue';
import type { Problem } from '../problem/problem';
import { faultOf } from '../problem/shape';
import { type DeviceLimits, feasible } from './feasible';
import type { GpuKernel, TunableValues } from './kernel';

/** Rows that start on a vec4, and elements that start anywhere; a long sum, and a batch. */
export const SHAPES = [
  { m: 36, n: 68, k: 20 },
  { m: 5, n: 7, k: 301 },
  { m: 33, n: 65, k: 17 },
  { b: 3, m: 9, n: 12, k: 40 },
] as const;

/** Of a shape, its K as many as whole blocks of the dtype. */
export const epilogueProblem = (
  shape: Problem<'matmul'>['shape'],
  dtype: Problem['dtype'],
  epilogue: Epilogue,
): Problem<'matmul'> => {
  const { multiple = 1 } = faultOf('matmul', shape, dtype) ?? {};
  const k = Math.ceil(shape.k / multiple) * multiple;
  return { op: 'matmul', shape: { ...shape, k }, dtype, epilogue };
};

/** A kernel is right with an epilogue, or says why it does not run. */
export async function expectFinished(
  executor: Executor,
  limits: DeviceLimits,
  { kernel, tunables }: { readonly kernel: GpuKernel; readonly tunables: TunableValues },
  problem: Problem<'matmul'>,
): Promise<string | null> {
  const fit = feasible({ kernel: kernel.id, tunables }, problem, limits);
  if (!fit.ok) return fit.why;
  const { faults } = await faultsOf(executor, kernel, problem, tunables);
  expect([kernel.id, problem, faults]).toEqual([kernel.id, problem, []]);
  return null;
}

/** What goes wrong with an epilogue: what stands in the source, and what stands there instead. */
export const MUTATIONS: readonly (readonly [
  what: string,
  epilogue: Epilogue,
  right: string | RegExp,
  wrong: string,
])[] = [
  ['bias left out', 'bias', ' + load_bias(col)', ''],
  ['bias of the neighbouring column', 'bias', 'min(col, shape.n - 1)', '(col + 1) % shape.n'],
  [
    'bias after relu',
    'bias-relu',
    'activated(sum + load_bias(col))',
    'activated(sum) + load_bias(col)',
  ],
  ['relu left out', 'relu', 'return max(x, 0.0)', 'return x'],
  ['gelu left out', 'gelu', /return x \/ .*;/, 'return x;'],
  ['silu for gelu', 'gelu', /return x \/ .*;/, 'return x / (1.0 + exp_of(-x));'],
  ['silu left out', 'bias-silu', /return x \/ .*;/, 'return x;'],
  ['a sum past its epilogue', 'relu', /finished\(f32\((.+?)\), /, 'finished(abs(f32($1)), '],
];

/** A kernel whose epilogue is wrong. */
export function mutant(
  kernel: GpuKernel,
  epilogue: Epilogue,
  [right, wrong]: readonly [string | RegExp, string],
): GpuKernel {
  const { wgsl } = kernel;
  if (typeof wgsl === 'string') throw new TypeError(`${kernel.id} is told no epilogue`);
  return {
    ...kernel,
    id: 'matmul/mutant',
    epilogue,
    wgsl: (values, dtype, written) => {
      const source = wgsl(values, dtype, written);
      const changed = source.replace(right, wrong);
      if (changed === source) throw new TypeError(`${kernel.id} has no ${right}`);
      return changed;
    },
  };
}
