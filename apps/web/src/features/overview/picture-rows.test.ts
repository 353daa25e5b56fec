import { type DeviceClass, shippedReference } from '@tilemark/core';
import type { DeviceBest } from '@tilemark/core/server';
import { parseProblem } from '@tilemark/kernels';
import { expect, it } from 'vitest';
import { pictureRows } from './picture-rows';

const figures = shippedReference().filter(
  ({ problem }) => problem.op === 'matmul' && problem.dtype === 'f32',
);
const best = (name: string, shape: string, kind: DeviceClass = 'gpu'): DeviceBest => ({
  device: { key: name, name, class: kind },
  resultId: 'r',
  problem: parseProblem({ op: 'matmul', shape, dtype: 'f32' }),
  address: 'matmul/tiled[TILE=16]',
  medianNs: 1e6,
  rate: { value: 100, unit: 'GFLOP/s' },
  roof: null,
  speedupOverNaive: null,
  shorterMedian: null,
  imported: null,
});

it('shows the reference on an empty grid: its best kernel beside the libraries', () => {
  const [row, ...others] = pictureRows([], figures);
  expect(others).toEqual([]);
  expect(row).toMatchObject({ name: 'NVIDIA H200', href: null, shape: '4096 × 4096 × 4096' });
  expect(row?.libraries.map(({ name }) => name)).toEqual(['cuBLAS', 'TensorFlow.js', 'jax-js']);
  // No probe ran beside the libraries; the data sheet knows 67 TFLOP/s.
  expect(row?.peak).toEqual({ rate: 67_000, isMeasured: false, bound: 'compute' });
});

it('puts GPUs of the grid first and software last, each beside libraries of its own hardware alone', () => {
  const bests = [best('llvmpipe', '128', 'software'), best('Laptop', '4096')];
  const rows = pictureRows([...bests, best('NVIDIA H200', '4096')], figures);
  expect(rows.map(({ href, name }) => [name, href !== null])).toEqual([
    ['Laptop', true],
    ['NVIDIA H200', true],
    ['NVIDIA H200', false],
    ['llvmpipe', true],
  ]);
  expect(rows[0]?.libraries).toEqual([]);
  expect(rows[1]?.libraries).not.toEqual([]);
  expect(rows[0]?.peak).toBeNull();
});

it('says by how much a kernel is faster or slower than what stands beside it', () => {
  const [reference] = pictureRows([], figures);
  expect(reference?.against).toEqual([
    '0.967 of cuBLAS',
    expect.stringMatching(/^2\.\d+ times TensorFlow\.js$/),
    expect.stringMatching(/^4\.\d+ times jax-js$/),
  ]);
  const own = (speedupOverNaive: number | null) =>
    pictureRows([{ ...best('Laptop', '512'), speedupOverNaive }], figures)[0]?.against;
  expect(own(12.34)).toEqual(['12.3 times the naive kernel']);
  expect(own(null)).toEqual([]);
  // The naive kernel itself.
  expect(own(1)).toEqual([]);
});

it('passes on what the board says beside a result', () => {
  const beside = {
    shorterMedian: { address: 'matmul/x', resultId: 's', medianNs: 5e5, provenNs: 2e6 },
    imported: { by: 'reviewer', at: '2026-11-25T00:00:00.000Z' },
  };
  expect(pictureRows([{ ...best('Laptop', '512'), ...beside }], [])[0]).toMatchObject(beside);
});

it('says of a peak that copying sets it, which the device exceeds at larger sizes', () => {
  const small = { ...best('Laptop', '128'), roof: { ns: 1e5, bound: 'bandwidth' } as const };
  expect(pictureRows([small], [])[0]?.peak).toMatchObject({ bound: 'bandwidth', isMeasured: true });
});

it('tells a CPU, whose kernels are no WGSL, from adapters in software', () => {
  const bests = [best('llvmpipe', '128', 'software'), best('EPYC', '128', 'cpu')];
  expect(pictureRows(bests, []).map(({ isCpu }) => isCpu)).toEqual([false, true]);
});

it('keeps to a screen, and to the grid’s own where it shows no reference', () => {
  const many = Array.from({ length: 9 }, (_, index) => best(`GPU ${index}`, '64'));
  expect(pictureRows(many, figures)).toHaveLength(5);
  expect(pictureRows([best('A', '64')], [])).toHaveLength(1);
});
