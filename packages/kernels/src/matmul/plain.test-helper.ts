import type { GpuKernel } from '../kernel/kernel';
import { naive } from './01-naive';

/** Of matmul/naive, with all of its memory in its text, which tests change. */
const TEXT = `struct Shape { m: u32, n: u32, k: u32 }
@group(0) @binding(0) var<storage, read> A: array<T>;
@group(0) @binding(1) var<storage, read> B: array<T>;
@group(0) @binding(2) var<storage, read_write> C: array<T>;
@group(0) @binding(3) var<uniform> shape: Shape;

@compute @workgroup_size(BLOCK, BLOCK)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let row = id.y;
  let col = id.x;
  if (row >= shape.m || col >= shape.n) {
    return;
  }
  var sum = Acc(0);
  for (var p = 0u; p < shape.k; p++) {
    sum += Acc(A[row * shape.k + p]) * Acc(B[p * shape.n + col]);
  }
  C[row * shape.n + col] = T(sum);
}
`;

const { batches: _, ...alike } = naive;

export const plain: GpuKernel & { readonly wgsl: string } = {
  ...alike,
  id: 'matmul/plain',
  wgsl: TEXT,
};
