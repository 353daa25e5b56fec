import {
  type Dtype,
  type MatmulShape,
  opById,
  parseVariant,
  type Shape,
  type TransposeShape,
} from '@tilemark/kernels';
import { onlyValues, type SweepCase } from '../plan/spec';
import { caseOf, edge, type Suite, square, sweepOf } from './suite';

/** Squares, a rectangle, sides that no tile divides, and a long sum into few elements. */
const products = (n: number): MatmulShape[] => [
  square(n),
  square(n / 2),
  square(n / 4),
  { m: n, n: n / 4, k: n / 2 },
  { m: n - 1, n: n + 1, k: n - 3 },
  { m: n / 16, n: n / 16, k: 4 * n },
];

const matrices = (n: number): TransposeShape[] => [
  { rows: n, cols: n },
  { rows: (3 * n) / 4, cols: n },
  { rows: n - 3, cols: n + 1 },
];

/** The beginning of a device's key, the tuned variant, and the shapes that it was tuned for. */
type Tuned = readonly [on: string, address: string, dtype: Dtype, ...shapes: Shape[]];

const H200 = 'nvidia-unknown-nvidia_h200-';
const LLVMPIPE = 'mesa-software-';
const warps = (rest: string) =>
  `matmul/warp-tile[BM=128,BN=128,BK=16,TM=8,TN=16,UNROLL=16,A_TILE=swizzled,${rest}]`;
const smallWarps = (rest: string) =>
  `matmul/warp-tile[BM=64,BN=64,BK=16,TM=8,TN=8,UNROLL=16,LANES_DOWN=4,A_TILE=padded,${rest}]`;
const fragments = (tile: string, rest: string) =>
  `matmul/subgroup-matrix[${tile},BK=32,WN=64,FRAGMENT_N=16,UNROLL=2,${rest}]`;
const matrixTile = 'transpose/swizzled[TILE_ROWS=64,TILE_COLS=64,THREADS_Y=16,ORDER=cols-first]';
const [half, halfSums] = [
  fragments('BM=128,BN=128,WM=64', 'LOADS=ahead,ORDER=rows-first'),
  fragments('BM=256,BN=256,WM=128', 'LOADS=staggered,ORDER=bands'),
];
const split = warps('LANES_DOWN=4,SPLIT=4,LOADS=ahead,TILE_LOOP=to-k');
const ahead = warps('LANES_DOWN=8,LOADS=ahead,TILE_LOOP=to-k');
const spread = warps('LANES_DOWN=8,LOADS=spread,TILE_LOOP=bounded');

/** What searches found by 2026-11-22 (docs/results/tuning-h200.md). */
const TUNED: readonly Tuned[] = [
  [H200, half, 'f16', square(4096), square(8192)],
  [H200, halfSums, 'f16acc16', square(4096), square(8192)],
  [H200, split, 'f32', square(1000), square(1024)],
  [H200, ahead, 'f32', square(2048)],
  [H200, spread, 'f32', square(4096)],
  [H200, ahead, 'f32', square(4096)],
  [H200, smallWarps('LOADS=ahead,TILE_LOOP=to-k'), 'f32', { m: 4096, n: 4096, k: 64 }],
  [H200, smallWarps('SPLIT=8,LOADS=ahead,TILE_LOOP=to-k'), 'f32', { m: 64, n: 4096, k: 4096 }],
  [H200, spread, 'f32', square(8192)],
  [H200, ahead, 'f32', square(8192)],
  [H200, matrixTile, 'f32', { rows: 16_384, cols: 16_384 }, { rows: 8192, cols: 8192 }],
  [LLVMPIPE, 'matmul/subgroup[WORKGROUP=64,ROWS=16]', 'f32', square(256)],
  [LLVMPIPE, 'transpose/vec4[TILE=64,ROWS=4]', 'f32', { rows: 1024, cols: 1024 }],
];

/** Each tuned variant on its own shape, on the devices that it was tuned for. */
function tunedCases(largest: number): SweepCase[] {
  return TUNED.flatMap(([on, address, dtype, ...shapes]) => {
    const { definition, kernel, tunables } = parseVariant(address);
    return shapes
      .filter((shape) => Math.max(...opById(definition.op).sides(shape)) <= largest)
      .map((shape) => ({
        ...caseOf(kernel, onlyValues(tunables), [shape], [dtype]),
        onlyOn: [on],
      }));
  });
}

/** The side is a multiple of 16, so that shapes derived from it are whole. */
const ROUND = 16;

export const peak: Suite<'n'> = {
  id: 'peak',
  version: 2,
  title: 'Peak',
  about:
    'The best known kernels on square, rectangular, odd, and skinny shapes, with tuned variants for devices that have them',
  params: [{ ...edge(4096), about: 'Largest side, rounded down to a multiple of 16' }],
  standing: { gpu: { n: 2048 } },
  spec: ({ n: asked }) => {
    const n = asked - (asked % ROUND);
    const matmul = (kernel: string) => caseOf(kernel, {}, products(n), ['f32', 'f16']);
    const transpose = (kernel: string) => caseOf(kernel, {}, matrices(n), ['f32', 'f16']);
    return {
      ...sweepOf([
        ...['naive', 'register-tile', 'warp-tile', 'split-k', 'stream-k', 'strassen'].map((id) =>
          matmul(`matmul/${id}`),
        ),
        caseOf('matmul/subgroup-matrix', {}, products(n), ['f16', 'f16acc16']),
        ...tunedCases(n),
        ...['copy', 'multi-row', 'vec4', 'swizzled'].map((id) => transpose(`transpose/${id}`)),
      ]),
      profiles: ['default', 'fast'],
    };
  },
};
