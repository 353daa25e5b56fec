const WARPS = ['BM=128', 'BN=128', 'BK=16', 'TM=8', 'TN=16', 'UNROLL=16'];
const STAGING = ['A_TILE=padded,swizzled', 'LOADS=ahead,spread', 'TILE_LOOP=to-k,bounded'];
const ORDERS = 'ORDER=rows-first,cols-first,diagonal,bands';

/**
 * Designs that are told apart in docs/performance.md. Each list is one run of
 * `tilemark bench`: all combinations of its tunables.
 *
 * @type {readonly { name: string, kernel: string, shapes: string, dtype: string, profile: string,
 *   tunables: readonly string[] }[]}
 */
export const LISTS = [
  {
    name: 'f32 staging: swizzled A, loads between steps, a loop without a counter',
    kernel: 'matmul/warp-tile',
    shapes: '4096',
    dtype: 'f32',
    profile: 'fast,default',
    tunables: [...WARPS, 'LANES_DOWN=4', ...STAGING],
  },
  {
    name: 'f32 lanes: eight rows of four',
    kernel: 'matmul/warp-tile',
    shapes: '4096',
    dtype: 'f32',
    profile: 'fast',
    tunables: [...WARPS, 'LANES_DOWN=8', 'A_TILE=padded,swizzled'],
  },
  {
    name: 'f32 stream-k: the last round shared',
    kernel: 'matmul/stream-k',
    shapes: '4096,8192',
    dtype: 'f32',
    profile: 'fast',
    tunables: [...WARPS, 'LANES_DOWN=4', 'WAVE=132,264', 'TILE_LOOP=to-k,bounded'],
  },
  {
    name: 'f32 stream-k on small and skinny shapes',
    kernel: 'matmul/stream-k',
    shapes: '1024,1000,64x4096x4096,4096x4096x64',
    dtype: 'f32',
    profile: 'fast',
    tunables: [
      'BM=64,128',
      'BN=64',
      'BK=16',
      'TM=8',
      'TN=8',
      'UNROLL=16',
      'LANES_DOWN=4',
      'WAVE=132,264',
    ],
  },
  {
    name: 'f32 Strassen',
    kernel: 'matmul/strassen',
    shapes: '2048,4096,8192',
    dtype: 'f32',
    profile: 'fast',
    tunables: [...WARPS, 'LANES_DOWN=4', 'TILE_LOOP=to-k,bounded'],
  },
  {
    name: 'f16 with sums in f16: when the loads are issued, bands, two tiles a turn',
    kernel: 'matmul/subgroup-matrix',
    shapes: '4096',
    dtype: 'f16acc16',
    profile: 'fast',
    tunables: [
      ...['BM=256', 'BN=256', 'BK=32', 'WM=64,128', 'WN=64'],
      ...['LOADS=ahead,halfway,staggered', 'ORDER=rows-first,bands', 'UNROLL=1,2'],
    ],
  },
  {
    name: 'f16 with sums in f32, likewise',
    kernel: 'matmul/subgroup-matrix',
    shapes: '4096',
    dtype: 'f16',
    profile: 'fast',
    tunables: [
      ...['BM=128', 'BN=128', 'BK=32', 'WM=64', 'WN=64'],
      ...['LOADS=ahead,halfway,staggered', 'ORDER=rows-first,bands', 'UNROLL=1,2'],
    ],
  },
  {
    name: 'transposes: the order of tiles',
    kernel: 'transpose/swizzled',
    shapes: '8192,16384',
    dtype: 'f32',
    profile: 'fast',
    tunables: ['TILE_ROWS=32,64', 'TILE_COLS=64', 'THREADS_Y=8,16', ORDERS],
  },
];
