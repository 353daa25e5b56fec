/**
 * The rows of the side-by-side table. `goal`: least ratio of our rate over the other's.
 * The vendor's f16 sums in f32 whatever ours (f16acc16) do. Strassen's rows are not
 * classic products: their error bound is another (docs/tolerance.md).
 * Shapes are MxNxK, or RxC for a transpose. A row without a `variant` takes the tuned one
 * of its problem and profile (packages/core/src/tuned); the others are designs to be told
 * apart from it (docs/performance.md).
 *
 * @typedef {{ op: string, shape: string, dtype: string, variant?: string, profile?: string,
 *   against: 'vendor' | 'copy' | 'fast' | 'tfjs' | 'jax', goal: number }} Row
 */

const warps = 'BM=128,BN=128,BK=16,TM=8,TN=16,UNROLL=16,LANES_DOWN=8,A_TILE=swizzled';
const quarters = `matmul/strassen[${warps}]`;
const streamed = `matmul/stream-k[${warps},WAVE=264]`;
const tiles = (rows, order) =>
  `transpose/swizzled[TILE_ROWS=${rows},TILE_COLS=64,THREADS_Y=${rows / 4},ORDER=${order}]`;

const product = (shape, dtype, goal, variant) => ({
  op: 'matmul',
  shape,
  dtype,
  ...(variant && { variant }),
  against: 'vendor',
  goal,
});

const transpose = (shape, variant) => ({
  op: 'transpose',
  shape,
  dtype: 'f32',
  ...(variant && { variant }),
  against: 'copy',
  goal: 0.97,
});

/** @type {readonly Row[]} */
export const ROWS = [
  product('4096', 'f32', 1),
  product('8192', 'f32', 1),
  { ...product('4096', 'f32', 0.99), profile: 'default', against: 'fast' },
  { ...product('8192', 'f32', 0.99), profile: 'default', against: 'fast' },
  product('4096', 'f16', 0.45),
  product('8192', 'f16', 0.45),
  product('4096', 'f16acc16', 0.6),
  product('8192', 'f16acc16', 0.6),
  product('2048', 'f32', 0.9),
  ...['1024', '1000', '4096x4096x64', '64x4096x4096'].map((shape) => product(shape, 'f32', 0.9)),
  transpose('8192'),
  transpose('16384'),
  ...[quarters, streamed].flatMap((variant) =>
    ['4096', '8192'].map((shape) => product(shape, 'f32', 1, variant)),
  ),
  transpose('16384', tiles(32, 'cols-first')),
];

/** Other WGSL libraries: our goal is more than twice the better of them. */
export const LIBRARY_ROWS = ['1024', '2048', '4096'].flatMap((shape) =>
  ['tfjs', 'jax'].map((against) => ({
    ...product(shape, 'f32', 2),
    against,
  })),
);

/** The ceiling of a transpose: a copy of the same bytes. */
export const COPY = 'transpose/copy[WORKGROUP=256]';
