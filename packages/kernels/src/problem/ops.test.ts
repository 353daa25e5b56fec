import { expect, test } from 'vitest';
import { kernelById } from '../kernel/registry';
import { OPS, opOf } from './ops';
import type { Problem } from './problem';

test('a product of 1000 x 1000 in 1 ms is 2,000 GFLOP/s', () => {
  const problem: Problem = { op: 'matmul', shape: { m: 1000, n: 1000, k: 1000 }, dtype: 'f32' };
  const op = opOf(problem);
  expect(op.flops(problem.shape)).toBe(2e9);
  expect(op.bytes(problem.shape, 'f32')).toBe(12e6);
  expect(op.rateUnit(problem)).toBe('GFLOP/s');
  expect(op.rateUnit({ dtype: 'i32' })).toBe('Gop/s');
  expect(op.rate(problem, 1e6)).toBe(2000);
});

test('a batch does the work of its products, one below the other', () => {
  const shape = { b: 8, m: 100, n: 50, k: 20 };
  const op = opOf({ op: 'matmul', shape, dtype: 'f32' });
  expect(op.flops(shape)).toBe(8 * 2 * 100 * 50 * 20);
  expect(op.bytes(shape, 'f16')).toBe(8 * 2 * (100 * 20 + 20 * 50 + 100 * 50));
  expect(op.output(shape)).toEqual({ rows: 800, cols: 50 });
  expect(op.terms(shape)).toBe(20);
  expect([op.batch(shape), op.sides(shape), op.sizes(shape)]).toEqual([
    8,
    [100, 50, 20],
    [8, 100, 50, 20],
  ]);
  expect(op.sizes({ m: 100, n: 50, k: 20 })).toEqual([1, 100, 50, 20]);
});

test('a transpose moves 8 bytes per element in f32, 4 in f16, and computes nothing', () => {
  const problem: Problem = { op: 'transpose', shape: { rows: 1000, cols: 500 }, dtype: 'f16' };
  const op = opOf(problem);
  expect(op.flops(problem.shape)).toBe(0);
  expect(op.bytes(problem.shape, 'f32')).toBe(4e6);
  expect(op.rate(problem, 1e6)).toBe(2);
  expect(op.output(problem.shape)).toEqual({ rows: 500, cols: 1000 });
});

test('each op names a kernel of its own that others are held against', () => {
  for (const [id, { rival }] of Object.entries(OPS)) expect(kernelById(rival).op).toBe(id);
});
