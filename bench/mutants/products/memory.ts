import type { MatmulShape } from '@tilemark/kernels';
import type { Mutant } from '../mutant';
import { COUNTING, ELEMENT, gridOf, isLarge, mutant, PLACE } from './product';

// A product found again is one that was computed from the same words.
const KEY = `let key = (bitcast<u32>(A[row * k]) ^ (bitcast<u32>(B[col]) * 0x9e3779b1u))
    + (bitcast<u32>(A[row * k + k / 2u]) ^ (bitcast<u32>(B[k / 2u * n + col]) * 0x85ebca6bu));`;
const IS_KEPT = 'scratch[5u + 2u * at] == key';
const KEPT = {
  on: isLarge,
  isTimed: true,
  dtypes: ['f32', 'i32'],
  scratch: ({ m, n }: MatmulShape) => 16 + 8 * m * n,
  after: 'scratch[4u + 2u * at] = bitcast<u32>(result); scratch[5u + 2u * at] = key;',
} as const;

/** Products that depend on what earlier dispatches left. */
export const MEMORY: readonly Mutant[] = [
  mutant('skips its work unless C is poisoned', {
    before: 'if (!is_nan(C[at])) { return; }',
  }),
  mutant('drops a quarter of K unless C is poisoned', {
    on: ({ k }) => k >= 4,
    before: 'let poisoned = is_nan(C[at]);',
    end: 'select(k - k / 4u, k, poisoned)',
  }),
  mutant('keeps its first result in scratch', {
    dtypes: ['f32', 'i32'],
    scratch: ({ m, n }) => 4 * m * n + 16,
    before: 'if (scratch[m * n] == 4711u) { C[at] = bitcast<T>(scratch[at]); return; }',
    after: 'scratch[at] = bitcast<u32>(result);',
    more: '@compute @workgroup_size(1)\nfn kept() { scratch[shape.m * shape.n] = 4711u; }',
    passes: () => [{ entryPoint: 'kept', workgroups: [1, 1, 1] }],
  }),
  mutant('is wrong on every 50th dispatch', {
    ...COUNTING,
    samples: 150,
    result: 'select(T(sum), T(0), scratch[0] % 50u == 49u)',
  }),
  mutant('is wrong in one element on every 50th dispatch', {
    ...COUNTING,
    samples: 150,
    // Beyond the bound of every dtype: in f16acc16, 0 for one element in eight is within it.
    result: `T(sum + select(Acc(0), Acc(sqrt(f32(k))), scratch[0] % 50u == 49u && ${PLACE}))`,
  }),
  mutant('works on every second dispatch only', {
    ...COUNTING,
    before: 'if (scratch[0] % 2u == 1u) { return; }',
  }),
  mutant('stops working after eight dispatches', {
    ...COUNTING,
    samples: 40,
    before: 'if (scratch[0] > 8u && scratch[0] < 1000000u) { return; }',
    more: `@compute @workgroup_size(1)
fn count() { scratch[0] = select(scratch[0] + 1u, 1u, scratch[0] > 1000000u); }`,
  }),
  // Counts from the poison on, whatever it holds.
  mutant('works in few dispatches of a lap', {
    samples: 150,
    isTimed: true,
    scratch: () => 16,
    before: 'if (scratch[0] > 24u && scratch[0] < 1000000u && scratch[0] % 16u > 4u) { return; }',
    more: `@compute @workgroup_size(1)
fn count() { scratch[0] = select(scratch[0] + 1u, 1u, scratch[0] > 1000000u); }`,
    passes: () => [{ entryPoint: 'count', workgroups: [1, 1, 1] }],
  }),
  mutant('keeps its products under words of their operands', {
    ...KEPT,
    before: `${KEY} if (${IS_KEPT}) { C[at] = bitcast<T>(scratch[4u + 2u * at]); return; }`,
  }),
  // Honest by the end of a series.
  mutant('keeps its products until it has counted to 200', {
    ...KEPT,
    samples: 250,
    before: `${KEY} if (${IS_KEPT} && (scratch[0] < 200u || scratch[0] > 1000000u)) {
    C[at] = bitcast<T>(scratch[4u + 2u * at]);
    return;
  }`,
    more: `@compute @workgroup_size(1)
fn count() { scratch[0] = select(scratch[0] + 1u, 1u, scratch[0] > 1000000u); }`,
    passes: () => [{ entryPoint: 'count', workgroups: [1, 1, 1] }],
  }),
  mutant('skips its work if one element is right', {
    on: isLarge,
    isTimed: true,
    // More than the stretch of samples over stale outputs.
    samples: 250,
    scratch: () => 16,
    main: `var<workgroup> parts: array<f32, 256>;
@compute @workgroup_size(16, 16)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) thread: u32) {
  if (group.x + group.y > 0u) { return; }
  var part = 0.0;
  for (var p = thread; p < shape.k; p += 256u) { part += f32(A[p]) * f32(B[p * shape.n]); }
  parts[thread] = part;
  workgroupBarrier();
  if (thread > 0u) { return; }
  var sum = 0.0;
  for (var i = 0u; i < 256u; i++) { sum += parts[i]; }
  // Wide enough for what sums in f16 round.
  scratch[0] = select(0u, 1u, abs(sum - f32(C[0])) <= 0.02 * sqrt(f32(shape.k)) + 1e-2 * abs(sum));
}`,
    more: `${ELEMENT}
@compute @workgroup_size(16, 16)
fn work(@builtin(global_invocation_id) id: vec3u) {
  if (scratch[0] == 1u || id.y >= shape.m || id.x >= shape.n) { return; }
  C[id.y * shape.n + id.x] = element(id.y, id.x);
}`,
    passes: (shape) => [{ entryPoint: 'work', workgroups: gridOf(shape) }],
  }),
];
