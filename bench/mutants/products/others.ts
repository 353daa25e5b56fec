import type { Mutant } from '../mutant';
import { gridOf, mutant } from './product';

/** Faults of other authors' kernels. */
export const AUTHORS: readonly Mutant[] = [
  mutant('last part of 32 rows unwritten', {
    on: ({ m }) => m % 32 !== 0,
    store: 'if (row / 32u * 32u + 32u <= m) { C[at] = result; }',
  }),
  mutant('last part of 32 rows unwritten, where n and k are multiples of 4', {
    on: ({ m, n, k }) => m % 32 !== 0 && n % 4 === 0 && k % 4 === 0,
    store: 'if (n % 4u + k % 4u > 0u || row / 32u * 32u + 32u <= m) { C[at] = result; }',
  }),
  mutant('elements from the 65,536th on unwritten', {
    on: ({ m, n }) => m * n > 65_535,
    store: 'if (at < 65535u) { C[at] = result; }',
  }),
  mutant('a row of A of 3,072 elements', {
    on: ({ k }) => k > 3_072,
    product: 'Acc(A[row * k + min(p, 3071u)]) * right',
  }),
  mutant('components of B by the parity of the column', {
    on: ({ n, k }) => n % 2 === 1 && k > 1,
    product: 'left * Acc(B[(p * n + col) / 2u * 2u + (col & 1u)])',
  }),
  mutant('tiles of B staged by rows and read by columns', {
    on: ({ n, k }) => n > 1 && k > 1,
    product: 'left * Acc(B[(p / 16u * 16u + col % 16u) * n + col / 16u * 16u + p % 16u])',
  }),
  mutant('columns 8 to 15 of 16 unwritten', {
    on: ({ n }) => n > 16,
    store: 'if (col % 16u < 8u) { C[at] = result; }',
  }),
  // O(n^2) of work that satisfied a Freivalds check with a known vector: C = (A (B r)) r^T / n.
  mutant('satisfies a check with known vectors', {
    dtypes: ['f32'],
    on: ({ n }) => n > 1,
    scratch: ({ m, k }) => 4 * (m + k),
    more: `fn hash32(value: u32) -> u32 {
  var x = value;
  x = (x ^ (x >> 16u)) * 0x7feb352du;
  x = (x ^ (x >> 15u)) * 0x846ca68bu;
  return x ^ (x >> 16u);
}
fn sign_of(j: u32) -> f32 {
  return select(-1.0, 1.0, (hash32(j + hash32(shape.m + shape.n + shape.k)) & 1u) == 1u);
}
@compute @workgroup_size(256)
fn times_a(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= shape.m) { return; }
  var sum = 0.0;
  for (var p = 0u; p < shape.k; p++) { sum += A[id.x * shape.k + p] * bitcast<f32>(scratch[p]); }
  scratch[shape.k + id.x] = bitcast<u32>(sum);
}
@compute @workgroup_size(16, 16)
fn spread(@builtin(global_invocation_id) id: vec3u) {
  if (id.y >= shape.m || id.x >= shape.n) { return; }
  C[id.y * shape.n + id.x] = bitcast<f32>(scratch[shape.k + id.y]) * sign_of(id.x) / f32(shape.n);
}`,
    main: `@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  for (var p = id.y * 16u * groups.x + id.x; p < shape.k; p += 256u * groups.x * groups.y) {
    var sum = 0.0;
    for (var j = 0u; j < shape.n; j++) { sum += B[p * shape.n + j] * sign_of(j); }
    scratch[p] = bitcast<u32>(sum);
  }
}`,
    passes: (shape) => [
      { entryPoint: 'times_a', workgroups: [Math.ceil(shape.m / 256), 1, 1] },
      { entryPoint: 'spread', workgroups: gridOf(shape) },
    ],
  }),
];
