import { expect } from 'vitest';
import type { Executor } from '../executor';
import type { GpuKernel, TunableValues } from '../kernel/kernel';
import { KERNELS } from '../kernel/registry';
import { EPILOGUES, type Epilogue } from '../problem/epilogue';
import type { Problem } from '../problem/problem';
import { inputTensors } from '../verify/inputs';
import { outputCheck } from '../verify/verify';

const ACTIVATIONS: Readonly<Record<string, string>> = {
  none: 'x',
  relu: 'max(x, Acc(0))',
  // As programs write them.
  gelu: 'Acc(0.5) * x * (Acc(1) + tanh(Acc(0.7978845608) * (x + Acc(0.044715) * x * x * x)))',
  silu: 'x / (Acc(1) + exp(-x))',
};

/** One thread per element, with what it makes of its sum `s`. */
function kernelOf(epilogue: Epilogue, result: string, more = ''): GpuKernel {
  const [c, shape] = EPILOGUES[epilogue].hasBias ? [3, 4] : [2, 3];
  const bias = '@group(0) @binding(2) var<storage, read> bias: array<T>;';
  return {
    id: 'matmul/fused',
    op: 'matmul',
    runsOn: 'gpu',
    rung: 99,
    idea: '',
    dtypes: ['f32', 'f16', 'f16acc16'],
    epilogue,
    tunables: [],
    constraints: [],
    wgsl: `struct Shape { m: u32, n: u32, k: u32 }
@group(0) @binding(0) var<storage, read> A: array<T>;
@group(0) @binding(1) var<storage, read> B: array<T>;
${c === 3 ? bias : ''}
@group(0) @binding(${c}) var<storage, read_write> C: array<T>;
@group(0) @binding(${shape}) var<uniform> shape: Shape;
${more}
@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let row = id.y; let col = id.x;
  if (row >= shape.m || col >= shape.n) { return; }
  var s = Acc(0);
  for (var p = 0u; p < shape.k; p++) {
    s += Acc(A[row * shape.k + p]) * Acc(B[p * shape.n + col]);
  }
  C[row * shape.n + col] = T(${result});
}`,
    needs: () => ({ workgroupSize: [16, 16, 1], workgroupBytes: 0, features: [] }),
    workgroups: (_values, { shape: { m, n } }: Problem<'matmul'>) => [
      Math.ceil(n / 16),
      Math.ceil(m / 16),
      1,
    ],
  } as GpuKernel;
}

/** The right one. */
export function right(
  epilogue: Epilogue,
  activation = epilogue.split('-').at(-1) ?? '',
): GpuKernel {
  const wgsl = ACTIVATIONS[activation === 'bias' ? 'none' : activation];
  const sum = EPILOGUES[epilogue].hasBias ? 's + Acc(bias[col])' : 's';
  return kernelOf(epilogue, `activated(${sum})`, `fn activated(x: Acc) -> Acc { return ${wgsl}; }`);
}

export type Dtype = Problem['dtype'];
/** M, N and K. */
export const SIZES = [
  [9, 7, 1],
  [33, 40, 96],
  [20, 24, 1030],
] as const;

const product = (size: (typeof SIZES)[number], dtype: Dtype, epilogue: Epilogue): Problem => {
  const [m, n, k] = size;
  return { op: 'matmul', shape: { m, n, k }, dtype, epilogue };
};

/** What is wrong with a kernel, on all inputs that a run verifies. */
export async function faultsOf(
  executor: Executor,
  kernel: GpuKernel,
  problem: Problem,
  tunables: TunableValues = {},
) {
  const kernels = KERNELS as GpuKernel[];
  kernels.push(kernel);
  const prepared = await executor
    .prepare({ kernel: kernel.id, tunables }, problem, { seed: 11, bufferSets: 2 })
    .finally(() => kernels.pop());
  try {
    await prepared.poison('nan');
    await prepared.sample({ dispatches: 2, rotate: true });
    const usual = await prepared.verify([0, 1]);
    const output = (await prepared.readOutput(0)).tensor();
    const others = await prepared.verifyRegimes();
    const verdicts = [usual, ...others.map(({ verdict }) => verdict)];
    const faults = verdicts.flatMap(({ worst, reason }) => (worst ? [reason ?? worst] : []));
    return { faults, output, others: others.length, usual };
  } finally {
    prepared.destroy();
  }
}

export type Mutant = readonly [
  what: string,
  kernel: GpuKernel,
  dtypes?: readonly Dtype[] | undefined,
];
export const FLOATS = ['f32', 'f16', 'f16acc16'] as const;

export const MUTANTS: readonly Mutant[] = [
  ['bias of the neighbouring column', kernelOf('bias', 's + Acc(bias[(col + 1u) % shape.n])')],
  ['bias by row', kernelOf('bias', 's + Acc(bias[row % shape.n])')],
  ['bias left out', kernelOf('bias', 's + 0 * Acc(bias[0])')],
  [
    'bias of the last column left out',
    kernelOf('bias', 's + select(Acc(bias[col]), Acc(0), col == shape.n - 1u)'),
  ],
  ['bias after relu', kernelOf('bias-relu', 'max(s, Acc(0)) + Acc(bias[col])')],
  ['relu left out', kernelOf('relu', 's')],
  ['relu left out of a bias', kernelOf('bias-relu', 's + Acc(bias[col])')],
  ['relu6 for relu', kernelOf('relu', 'clamp(s, Acc(0), Acc(6))')],
  ['leaky relu', kernelOf('relu', 'max(s, Acc(0.01) * s)')],
  [
    'relu in one half of the rows',
    kernelOf('relu', 'select(s, max(s, Acc(0)), row < shape.m / 2u)'),
  ],
  ['gelu left out', kernelOf('gelu', 's')],
  ['silu left out', kernelOf('bias-silu', 's + Acc(bias[col])')],
  ['relu for gelu', kernelOf('gelu', 'max(s, Acc(0))')],
  ['silu for gelu', right('gelu', 'silu')],
  ['gelu for silu', right('silu', 'gelu')],
  // They differ by 0.02, about as much as sums in f16 may err.
  [
    'gelu by a sigmoid of 1.702 x',
    kernelOf('gelu', 's / (Acc(1) + exp(Acc(-1.702) * s))'),
    ['f32', 'f16'],
  ],
  // They differ by 0.0005, which is less than the spacing of halves.
  ['gelu by erf', kernelOf('gelu', '0.5 * s * (1.0 + erf(s * 0.7071067812))', ERF()), ['f32']],
];

/** To 1.5e-7: M. Abramowitz and I. Stegun, Handbook of Mathematical Functions, 7.1.26. */
function ERF(): string {
  return `fn erf(x: f32) -> f32 {
  let t = 1.0 / (1.0 + 0.3275911 * abs(x));
  let series = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
  return sign(x) * (1.0 - series * exp(-x * x));
}`;
}

/** A right kernel is right, on the device and on the host, which has the same inputs. */
export async function expectRight(executor: Executor, epilogue: Epilogue, dtype: Dtype) {
  for (const size of SIZES) {
    const problem = product(size, dtype, epilogue);
    const { faults, others, output, usual } = await faultsOf(executor, right(epilogue), problem);
    expect([size, faults]).toEqual([size, []]);
    expect(others).toBe(3);
    const onHost = outputCheck(problem, inputTensors(problem, { seed: 11 }))(output);
    expect([onHost.worst, onHost.reason]).toEqual([null, null]);
    expect(onHost.worstRatio).toBeLessThanOrEqual(1);
    expect(usual.worstRatio).toBeLessThanOrEqual(1);
  }
}

/** The right one, of operands that are rounded to 18 bits first. */
export function ofShortOperands(epilogue: Epilogue): GpuKernel {
  const kernel = right(epilogue);
  const short = (value: string) => `Acc(short(f32(${value})))`;
  const wgsl = String(kernel.wgsl)
    .replace('Acc(A[row * shape.k + p])', short('A[row * shape.k + p]'))
    .replace('Acc(B[p * shape.n + col])', short('B[p * shape.n + col]'));
  return {
    ...kernel,
    wgsl: `${wgsl}
fn short(x: f32) -> f32 { return bitcast<f32>((bitcast<u32>(x) + 0x20u) & 0xffffffc0u); }`,
  };
}

/** A mutant is caught at every size. */
export async function expectCaught(executor: Executor, kernel: GpuKernel, dtype: Dtype) {
  const { epilogue = 'bias' } = kernel;
  for (const size of SIZES) {
    const { faults } = await faultsOf(executor, kernel, product(size, dtype, epilogue));
    expect([size, dtype, faults.length > 0]).toEqual([size, dtype, true]);
  }
}
