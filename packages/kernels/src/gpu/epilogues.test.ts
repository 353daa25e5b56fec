import { expect, test } from 'vitest';
import { feasible } from '../kernel/feasible';
import type { GpuKernel } from '../kernel/kernel';
import { KERNELS } from '../kernel/registry';
import { idsOf } from '../problem/dtype';
import { EPILOGUES, type Epilogue, finisherOf } from '../problem/epilogue';
import type { Problem } from '../problem/problem';
import { faultOf } from '../problem/shape';
import { inputTensors } from '../verify/inputs';
import { outputCheck } from '../verify/verify';
import { limitsOf, useExecutor } from './dawn.test-helper';
import {
  expectCaught,
  expectRight,
  faultsOf,
  MUTANTS,
  ofShortOperands,
  right,
} from './epilogues.test-helper';

const gpu = useExecutor();

// In all dtypes: epilogues.full.test.ts.
test.each(idsOf(EPILOGUES))('a right kernel of %s is right', (epilogue) =>
  expectRight(gpu.executor, epilogue, 'f32'),
);
test.each(['bias-gelu', 'bias-relu'] as const)('a right kernel of %s is right in f16', (epilogue) =>
  expectRight(gpu.executor, epilogue, 'f16'),
);

test.each(MUTANTS.map(([what, kernel]) => [what, kernel] as const))(
  '%s is caught',
  (_what, kernel) => expectCaught(gpu.executor, kernel, 'f32'),
);

test.each(['bias', 'relu', 'gelu', 'silu', 'bias-relu', 'bias-gelu', 'bias-silu'] as const)(
  'operands of 18 bits show under %s',
  async (epilogue) => {
    const shape = { m: 33, n: 40, k: 1030 };
    const problem: Problem = { op: 'matmul', shape, dtype: 'f32', epilogue };
    const { faults } = await faultsOf(gpu.executor, ofShortOperands(epilogue), problem);
    expect(faults).not.toEqual([]);
  },
);

// What an activation may err hides them but where sums are exact.
test.each(['bias', 'relu', 'bias-relu'] as const)(
  'operands of 18 bits are less precise on fractions under %s',
  async (epilogue) => {
    const shape = { m: 33, n: 40, k: 1030 };
    const problem: Problem = { op: 'matmul', shape, dtype: 'f32', epilogue };
    const { usual } = await faultsOf(gpu.executor, ofShortOperands(epilogue), problem);
    expect(usual.reason).toMatch(/^less precise than its dtype/);
  },
);

test('a batch shares its bias', async () => {
  const problem: Problem = {
    op: 'matmul',
    shape: { b: 3, m: 9, n: 7, k: 20 },
    dtype: 'f32',
    epilogue: 'bias-relu',
  };
  const inputs = inputTensors(problem, { seed: 11 });
  expect(inputs.map(({ length }) => length)).toEqual([540, 420, 7]);
  const batched = right('bias-relu');
  const wgsl = String(batched.wgsl)
    .replace('A[row', 'A[id.z * shape.m * shape.k + row')
    .replace('B[p', 'B[id.z * shape.k * shape.n + p')
    .replace('C[row', 'C[id.z * shape.m * shape.n + row');
  const kernel = { ...batched, wgsl, workgroups: () => [1, 1, 3] } as GpuKernel;
  const { faults, output } = await faultsOf(gpu.executor, kernel, problem);
  expect(faults).toEqual([]);
  expect(outputCheck(problem, inputs)(output)).toMatchObject({ worst: null, checked: 189 });
});

test('formulas are those of their papers', () => {
  const at = (epilogue: Epilogue, sum: number, bias = 0) => finisherOf({ epilogue })?.(sum, bias);
  expect(at('bias-relu', -2, 3)).toBe(1);
  expect(at('relu', -2)).toBe(0);
  // x / 2 (1 + tanh(...)), at 1: 0.84119; by erf it would be 0.84134.
  expect(at('gelu', 1)).toBeCloseTo(0.841192, 6);
  expect(at('gelu', -100)).toBeCloseTo(0, 12);
  expect(at('silu', 1)).toBeCloseTo(0.731059, 6);
});

test('a kernel of its own epilogue takes problems with that alone; ours take any', () => {
  const kernels = KERNELS as GpuKernel[];
  kernels.push(right('relu'));
  try {
    const limits = limitsOf(gpu.device);
    const why = (kernel: string, epilogue?: Epilogue) => {
      const shape = { m: 8, n: 8, k: 8 };
      const problem: Problem = { op: 'matmul', shape, dtype: 'f32', epilogue };
      const fit = feasible({ kernel, tunables: {} }, problem, limits);
      return fit.ok ? null : fit.why;
    };
    expect(why('matmul/fused', 'relu')).toBeNull();
    expect(why('matmul/fused')).toBe('computes the epilogue relu, not the product alone');
    expect(why('matmul/fused', 'bias')).toBe('computes the epilogue relu, not bias');
    expect(why('matmul/tiled', 'relu')).toBeNull();
    const alone = 'computes the product alone, without an epilogue';
    expect(why('matmul/cpu-naive', 'relu')).toBe(alone);
    expect(why('matmul/naive-global', 'relu')).toBe(alone);
    const { epilogue: _, ...theirs } = right('relu');
    kernels.push({ ...theirs, id: 'matmul/theirs', fuses: false });
    expect(why('matmul/theirs', 'relu')).toBe(alone);
    kernels.pop();
  } finally {
    kernels.pop();
  }
});

test.each<[Parameters<typeof faultOf>, string]>([
  [['transpose', { rows: 3, cols: 4 }, 'f32', { epilogue: 'relu' }], 'only sums have one'],
  [['matmul', { m: 3, n: 4, k: 5 }, 'i32', { epilogue: 'relu' }], 'of floats'],
  [
    ['matmul', { m: 3, n: 4, k: 5 }, 'f32', { epilogue: 'relu', regime: 'large' }],
    'a regime or an epilogue',
  ],
])('%j has no epilogue', (asked, reason) => {
  expect(faultOf(...asked)).toMatchObject({
    field: 'epilogue',
    reason: expect.stringContaining(reason),
  });
});
