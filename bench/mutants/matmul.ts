import type { Dtype, MatmulShape, Problem } from '@tilemark/kernels';
import type { Mutant } from './mutant';

/** The places of a right kernel in which a mutant differs. */
interface Parts {
  /** Before the sum. */
  readonly before: string;
  readonly start: string;
  readonly from: string;
  readonly end: string;
  readonly product: string;
  /** Of the sum so far and the product. */
  readonly add: string;
  readonly result: string;
  readonly store: string;
}

const RIGHT: Parts = {
  before: '',
  start: 'Acc(0)',
  from: '0u',
  end: 'k',
  product: 'left * right',
  add: 'sum + product',
  result: 'T(sum)',
  store: 'C[at] = result;',
};

interface Change extends Partial<Parts> {
  /** Statements after an element is stored. */
  readonly after?: string;
  /** Bytes shared by its dispatches. */
  readonly scratch?: (shape: MatmulShape) => number;
  /** Further entry points. */
  readonly more?: string;
  readonly passes?: (
    shape: MatmulShape,
  ) => readonly { entryPoint: string; workgroups: readonly [number, number, number] }[];
  /** The whole of the first entry point, instead of all parts. */
  readonly main?: string;
  readonly dtypes?: readonly Dtype[];
  readonly on?: (shape: MatmulShape) => boolean;
  readonly samples?: number;
  readonly isTimed?: boolean;
}

const ALL: readonly Dtype[] = ['f32', 'i32', 'f16', 'f16acc16'];
const FLOATS: readonly Dtype[] = ['f32', 'f16', 'f16acc16'];

function wgslOf(change: Change): string {
  const { before, start, from, end, product, add, result, store } = { ...RIGHT, ...change };
  const scratch = change.scratch
    ? '@group(0) @binding(4) var<storage, read_write> scratch: array<u32>;'
    : '';
  const body =
    change.main ??
    `@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let m = shape.m; let n = shape.n; let k = shape.k;
  let row = id.y; let col = id.x; let at = row * n + col;
  if (row >= m || col >= n) { return; }
  ${before}
  var sum = ${start};
  for (var p = ${from}; p < ${end}; p++) {
    let left = Acc(A[row * k + p]);
    let right = Acc(B[p * n + col]);
    let product = ${product};
    sum = ${add};
  }
  var result = ${result};
  ${store}
  ${change.after ?? ''}
}`;
  return `struct Shape { m: u32, n: u32, k: u32 }
@group(0) @binding(0) var<storage, read> A: array<T>;
@group(0) @binding(1) var<storage, read> B: array<T>;
@group(0) @binding(2) var<storage, read_write> C: array<T>;
@group(0) @binding(3) var<uniform> shape: Shape;
${scratch}
fn is_nan(x: T) -> bool {
  let bits = bitcast<u32>(f32(x));
  return (bits & 0x7f800000u) == 0x7f800000u || bits == 0x4eff82ffu;
}
fn short(x: f32, mask: u32) -> f32 {
  return bitcast<f32>((bitcast<u32>(x) + ((~mask + 1u) >> 1u)) & mask);
}
${change.more ?? ''}
${body}
`;
}

const shapeOf = ({ shape }: Problem): MatmulShape => shape as MatmulShape;

function mutant(name: string, change: Change): Mutant {
  const { dtypes = ALL, on = () => true, passes, samples, isTimed, scratch } = change;
  const id = `matmul/mutant-${name.toLowerCase().replace(/[^a-z0-9]+/g, '-')}` as const;
  return {
    name,
    isWrongOn: (problem) => dtypes.includes(problem.dtype) && on(shapeOf(problem)),
    ...(samples !== undefined && { samples }),
    ...(isTimed && { isTimed }),
    kernel: {
      id,
      op: 'matmul',
      runsOn: 'gpu',
      rung: 99,
      idea: name,
      dtypes,
      tunables: [],
      constraints: [],
      wgsl: wgslOf(change),
      needs: () => ({ workgroupSize: [16, 16, 1], workgroupBytes: 0, features: [] }),
      workgroups: (_values, problem) => gridOf(shapeOf(problem)),
      ...(passes && { followUps: (_values, problem) => passes(shapeOf(problem)) }),
      ...(scratch && { scratchBytes: (_values, problem) => scratch(shapeOf(problem)) }),
    },
  };
}

const gridOf = ({ m, n }: MatmulShape): readonly [number, number, number] => [
  Math.ceil(n / 16),
  Math.ceil(m / 16),
  1,
];

// An element away from edges of tiles, where there are any.
const PLACE = 'row == (2u * m) / 3u && col == (3u * n) / 5u';
const inTile = (size: number) =>
  `(row / ${size}u == (m / 2u) / ${size}u && col / ${size}u == (n / 2u) / ${size}u)`;
/** Recomputes an element from another row and column. */
const ELEMENT = `fn element(row: u32, col: u32) -> T {
  var sum = Acc(0);
  for (var p = 0u; p < shape.k; p++) {
    sum += Acc(A[row * shape.k + p]) * Acc(B[p * shape.n + col]);
  }
  return T(sum);
}`;
/** Sums in f32, whatever the dtype's. */
const IN_F32 = { start: '0.0', product: 'f32(left) * f32(right)' } as const;
/** Counts dispatches in scratch[0] after each. */
const COUNTING: Pick<Change, 'scratch' | 'more' | 'passes'> = {
  scratch: () => 16,
  more: '@compute @workgroup_size(1)\nfn count() { scratch[0] = scratch[0] + 1u; }',
  passes: () => [{ entryPoint: 'count', workgroups: [1, 1, 1] }],
};
/** The kernel's values are as large as those of the dtype's inputs. */
const isLarge = ({ m, n, k }: MatmulShape) => m * n * k >= 2 ** 27;

/** Matrix products, each wrong in one way. */
export const MATMUL: readonly Mutant[] = [
  // Three times the RMS of a C of floats: that is √K / 3, for inputs uniform in (-1, 1).
  mutant('one element off by √K', {
    store: `if (${PLACE}) { result = result + T(sqrt(f32(k))); } C[at] = result;`,
  }),
  mutant('one element zeroed', {
    store: `if (${PLACE}) { result = T(0); } C[at] = result;`,
  }),
  mutant('one element with its sign flipped', {
    store: `if (${PLACE}) { result = -result; } C[at] = result;`,
  }),
  mutant('one element 1% off', {
    store: `if (${PLACE}) { result = T(f32(result) * 1.01 + select(0.0, 1.0, abs(f32(result)) > 1e3)); } C[at] = result;`,
    on: ({ k }) => k > 1,
  }),
  mutant('one NaN', { dtypes: FLOATS, store: `if (!(${PLACE})) { C[at] = result; }` }),
  mutant('one infinity', {
    dtypes: ['f32'],
    store: `C[at] = result; if (${PLACE}) { C[at] = bitcast<f32>(0x7f800000u + 0u * shape.m); }`,
    more: '',
  }),
  mutant('last element unwritten', { store: 'if (at != m * n - 1u) { C[at] = result; }' }),
  mutant('first row unwritten', { store: 'if (row > 0u) { C[at] = result; }' }),
  mutant('last column unwritten', { store: 'if (col < n - 1u) { C[at] = result; }' }),
  mutant('a 4x4 tile of zeros', { store: `if ${inTile(4)} { result = T(0); } C[at] = result;` }),
  mutant('a column of zeros from its eighth row on', {
    on: ({ m }) => m > 8,
    store: 'if (col == n - 1u && row >= 8u) { result = T(0); } C[at] = result;',
  }),
  mutant('two columns swapped over 128 rows', {
    on: ({ n }) => n >= 8,
    more: ELEMENT,
    store:
      'if (row < 128u && (col == 2u || col == 5u)) { result = element(row, 7u - col); } C[at] = result;',
  }),
  mutant('two rows swapped', {
    on: ({ m }) => m >= 8,
    more: ELEMENT,
    store: 'if (row == 2u || row == 5u) { result = element(7u - row, col); } C[at] = result;',
  }),
  mutant('last row a copy of the one before', {
    on: ({ m }) => m >= 2,
    more: ELEMENT,
    store: 'if (row == m - 1u) { result = element(row - 1u, col); } C[at] = result;',
  }),
  mutant('last column a copy of the one before', {
    on: ({ n }) => n >= 2,
    more: ELEMENT,
    store: 'if (col == n - 1u) { result = element(row, col - 1u); } C[at] = result;',
  }),
  mutant('one tile is its neighbour', {
    on: ({ m, n }) => m >= 16 && n >= 16,
    more: ELEMENT,
    store: `if ${inTile(8)} { result = element(row - 8u, col); } C[at] = result;`,
  }),
  mutant('one tile transposed', {
    on: ({ m, n }) => m >= 16 && n >= 16,
    more: ELEMENT,
    store: 'if (row < 8u && col < 8u) { result = element(col, row); } C[at] = result;',
  }),
  mutant('nothing written', { store: '' }),
  mutant('all zeros', { store: 'C[at] = T(0);' }),
  mutant('last product dropped', { end: 'k - 1u' }),
  mutant('first product added twice', { start: 'Acc(A[row * k]) * Acc(B[col])' }),
  mutant('16 steps of K dropped in one 64x64 tile', {
    on: ({ m, n, k }) => k >= 64 && m >= 64 && n >= 64,
    add: `select(sum + product, sum, ${inTile(64)} && p >= 16u && p < 32u)`,
  }),
  mutant('the largest product dropped in one element', {
    before: 'var most = Acc(0);',
    add: `sum + product + select(Acc(0), keep(&most, product), ${PLACE})`,
    more: `fn keep(most: ptr<function, Acc>, product: Acc) -> Acc {
  if (abs(product) > abs(*most)) { *most = product; }
  return Acc(0);
}`,
    result: `T(sum - select(Acc(0), most, ${PLACE}))`,
  }),
  mutant('rows of B one step off', {
    on: ({ k }) => k >= 2,
    product: 'left * Acc(B[((p + 1u) % k) * n + col])',
  }),
  // One element of A is as often positive as not, and then it is right.
  mutant('magnitudes of A', { on: ({ m, k }) => m * k >= 16, product: 'abs(left) * right' }),
  mutant('adds to what C contains', { start: 'Acc(C[at])' }),
  mutant('adds to what scratch contains', {
    scratch: ({ m, n }) => 4 * m * n,
    dtypes: ['f32', 'i32'],
    start: 'bitcast<Acc>(scratch[at])',
    after: 'scratch[at] = 0u;',
  }),
  // Precision.
  mutant('tf32 operands', {
    dtypes: ['f32'],
    product: 'short(left, 0xffffe000u) * short(right, 0xffffe000u)',
  }),
  mutant('bf16 operands', {
    dtypes: ['f32'],
    product: 'short(left, 0xffff0000u) * short(right, 0xffff0000u)',
  }),
  mutant('operands of two bf16 halves', {
    dtypes: ['f32'],
    product: 'short(left, 0xffffff00u) * short(right, 0xffffff00u)',
  }),
  mutant('one operand in f16', { dtypes: ['f32'], product: 'short(left, 0xffffe000u) * right' }),
  mutant('bf16 products', { dtypes: ['f32'], add: 'sum + short(product, 0xffff0000u)' }),
  mutant('sums of 11 bits', { dtypes: ['f32'], add: 'short(sum + product, 0xffffe000u)' }),
  mutant('sums of 16 bits', { dtypes: ['f32'], add: 'short(sum + product, 0xffffff00u)' }),
  mutant('a result of 16 bits', { dtypes: ['f32'], result: 'short(sum, 0xffffff00u)' }),
  mutant('a result in f16', { dtypes: ['f32'], result: 'short(sum, 0xffffe000u)' }),
  mutant('tf32 operands in one block of rows', {
    dtypes: ['f32'],
    product:
      'select(left * right, short(left, 0xffffe000u) * short(right, 0xffffe000u), row / 16u == m / 32u)',
  }),
  mutant('f16 sums', {
    dtypes: ['f16'],
    on: ({ k }) => k >= 5,
    add: 'short(sum + product, 0xffffe000u)',
  }),
  mutant('operands of 8 bits', {
    dtypes: ['f16', 'f16acc16'],
    product: 'Acc(short(f32(left), 0xffff0000u)) * Acc(short(f32(right), 0xffff0000u))',
  }),
  mutant('integers in f32', {
    dtypes: ['i32'],
    product: 'i32(f32(left) * f32(right))',
    result: 'i32(f32(sum))',
  }),
  // What it did before.
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
    result: `select(T(sum), T(0), scratch[0] % 50u == 49u && ${PLACE})`,
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
  // Out of bounds.
  mutant('writes one element past the end', { store: 'C[at] = result; C[m * n] = result;' }),
  mutant('writes far past the end', { store: 'C[at] = result; C[m * n + 700u] = result;' }),
  mutant('writes one row too many', {
    store: 'C[at] = result; if (row == m - 1u) { C[at + n] = result; }',
  }),
  mutant('writes past its scratch', {
    scratch: () => 64,
    store: 'C[at] = result; scratch[16] = 1u;',
  }),
  mutant('writes a megabyte past the end', {
    store: 'C[at] = result; C[m * n + 262144u + at] = result;',
  }),
  // Reads out of bounds.
  mutant('one product too many', { end: 'k + 1u' }),
  mutant('no check of its bounds on K', {
    on: ({ k }) => k % 16 !== 0,
    end: '(k + 15u) / 16u * 16u',
  }),
  mutant('adds an element behind A to one element of C', {
    result: `select(T(sum), T(sum + Acc(A[m * k])), ${PLACE})`,
  }),
  // Right on fractions around 0, or within what sums in f16 may round.
  mutant('f32 sums, the last product dropped', {
    dtypes: ['f16acc16'],
    ...IN_F32,
    end: 'k - 1u',
  }),
  mutant('f32 sums, 16 products dropped', {
    dtypes: ['f16acc16'],
    ...IN_F32,
    on: ({ k }) => k >= 32,
    end: 'k - 16u',
  }),
  mutant('f32 sums of operands of 4 bits', {
    dtypes: ['f16acc16'],
    ...IN_F32,
    product: 'short(f32(left), 0xfff00000u) * short(f32(right), 0xfff00000u)',
  }),
  mutant('two neighbours swapped', {
    on: ({ n }) => n >= 2,
    more: ELEMENT,
    store: 'if (row == m / 2u && col < 2u) { result = element(row, 1u - col); } C[at] = result;',
  }),
  mutant('the low 16 bits of integers', {
    dtypes: ['i32'],
    product: '((left << 16u) >> 16u) * ((right << 16u) >> 16u)',
  }),
  mutant('integers that saturate', {
    dtypes: ['i32'],
    result: 'clamp(sum, -0x3fffffff, 0x3fffffff)',
  }),
  mutant('magnitudes of operands below 1', {
    dtypes: FLOATS,
    product: 'clamp(left, Acc(-1), Acc(1)) * right',
  }),
  mutant('a result that saturates', {
    dtypes: FLOATS,
    on: ({ m, n }) => m * n >= 64,
    result: 'T(clamp(f32(sum), -1024.0, 1024.0))',
  }),
  mutant('a sum that ends at a zero', {
    on: ({ m, n, k }) => m * n >= 64 && k >= 4,
    add: 'sum + select(product, Acc(0), seen(&ended, left == Acc(0)))',
    before: 'var ended = false;',
    more: `fn seen(ended: ptr<function, bool>, isZero: bool) -> bool {
  *ended = *ended || isZero;
  return *ended;
}`,
  }),
  mutant('zeros of B taken for ones', {
    on: ({ k, n }) => k * n >= 64,
    product: 'left * select(right, Acc(1), right == Acc(0))',
  }),
  // Of other authors' kernels.
  mutant('last part of 32 rows unwritten', {
    on: ({ m }) => m % 32 !== 0,
    store: 'if (row / 32u * 32u + 32u <= m) { C[at] = result; }',
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
