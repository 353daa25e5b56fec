/**
 * The rows of the side-by-side table. `goal`: least ratio of our rate over the other's.
 * The vendor's f16 sums in f32 whatever ours (f16acc16) do. Strassen's rows are not
 * classic products: their error bound is another (docs/tolerance.md).
 * Shapes are MxNxK, or RxC for a transpose. `variant` holds the best variant known on an
 * NVIDIA H200 (docs/performance.md).
 *
 * @typedef {{ op: string, shape: string, dtype: string, variant: string, profile?: string,
 *   against: 'vendor' | 'copy' | 'fast' | 'tfjs' | 'jax', goal: number }} Row
 */

const wide = 'matmul/warp-tile[BM=128,BN=128,BK=16,TM=8,TN=16,UNROLL=16,LANES_DOWN=4]';
const streamed = 'matmul/stream-k[BM=128,BN=128,BK=16,TM=8,TN=16,UNROLL=16,LANES_DOWN=4,WAVE=264]';
const swizzledTile = wide.replace(']', ',A_TILE=swizzled]');
const spread = wide.replace(']', ',LOADS=spread]');
const bounded = wide.replace(']', ',TILE_LOOP=bounded]');
const shared = 'matmul/warp-tile[BM=128,BN=128,BK=16,TM=8,TN=16,UNROLL=16,LANES_DOWN=4,SPLIT=4]';
const ragged = 'matmul/warp-tile[BM=128,BN=64,BK=16,TM=8,TN=8,UNROLL=16,LANES_DOWN=4,SPLIT=2]';
const shallow = 'matmul/warp-tile[BM=64,BN=64,BK=16,TM=8,TN=8,UNROLL=16,LANES_DOWN=4]';
const narrow = 'matmul/warp-tile[BM=64,BN=64,BK=16,TM=8,TN=8,UNROLL=16,LANES_DOWN=4,SPLIT=8]';
const matrices = 'matmul/subgroup-matrix[BM=128,BN=128,BK=32,WM=64,WN=64,FRAGMENT_N=16]';
const halves =
  'matmul/subgroup-matrix[BM=256,BN=256,BK=32,WM=128,WN=64,FRAGMENT_N=16,LOADS=halfway]';
const quarters = 'matmul/strassen[BM=128,BN=128,BK=16,TM=8,TN=16,UNROLL=16,LANES_DOWN=4]';
const swizzled = 'transpose/swizzled[TILE_ROWS=64,TILE_COLS=64,THREADS_Y=16,ORDER=cols-first]';

const diagonal = swizzled.replace('cols-first', 'diagonal');
const bands = swizzled.replace('cols-first', 'bands');

const f32 = (shape, variant, goal) => ({
  op: 'matmul',
  shape,
  dtype: 'f32',
  variant,
  against: 'vendor',
  goal,
});

const transpose = (shape, variant) => ({
  op: 'transpose',
  shape,
  dtype: 'f32',
  variant,
  against: 'copy',
  goal: 0.97,
});

/** @type {readonly Row[]} */
export const ROWS = [
  f32('4096', wide, 1),
  f32('8192', wide, 1),
  { ...f32('4096', wide, 0.99), profile: 'default', against: 'fast' },
  { op: 'matmul', shape: '4096', dtype: 'f16', variant: matrices, against: 'vendor', goal: 0.45 },
  { op: 'matmul', shape: '8192', dtype: 'f16', variant: matrices, against: 'vendor', goal: 0.45 },
  { op: 'matmul', shape: '4096', dtype: 'f16acc16', variant: halves, against: 'vendor', goal: 0.6 },
  f32('4096', quarters, 1),
  f32('8192', quarters, 1),
  f32('1024', shared, 0.9),
  f32('2048', wide, 0.9),
  f32('1000', ragged, 0.9),
  f32('4096x4096x64', shallow, 0.9),
  f32('64x4096x4096', narrow, 0.9),
  transpose('8192', swizzled),
  transpose('16384', swizzled),
  // Designs for the goals that are not met, none of them measured yet (docs/performance.md).
  ...['4096', '8192'].flatMap((shape) =>
    [streamed, swizzledTile, spread].map((variant) => f32(shape, variant, 1)),
  ),
  { ...f32('4096', bounded, 0.99), profile: 'default', against: 'fast' },
  transpose('16384', diagonal),
  transpose('16384', bands),
];

/** Other WGSL libraries: our goal is more than twice the better of them. */
export const LIBRARY_ROWS = ['1024', '2048', '4096'].flatMap((shape) =>
  ['tfjs', 'jax'].map((against) => ({
    ...f32(shape, shape === '1024' ? shared : wide, 2),
    against,
  })),
);

/** The ceiling of a transpose: a copy of the same bytes. */
export const COPY = 'transpose/copy[WORKGROUP=256]';
