import { gpuKernel } from '../kernel/kernel';
import { areBytes, type Dtype, packedDots } from '../problem/dtype';
import type { Problem } from '../problem/problem';
import { splitTiles } from './candidates';
import { gridOverC } from './grid';
import { weightsOf } from './memory';
import type { MatmulShape } from './op';
import { emitTileKernel, tileEntryPoint } from './tile-emitter';
import type { TileLayout } from './tile-layout';
import { SPLIT_PASSES, splitTunable, tileNeeds } from './tile-memory';
import {
  MULADD,
  STAGING_TUNABLES,
  WARP_CONSTRAINTS,
  WARP_PROBLEM_CONSTRAINTS,
  WARP_TUNABLES,
  type WarpValues,
  warpLayout,
  warpTilesFor,
} from './warp-layout';

const layoutOf = (values: WarpValues & { readonly SPLIT: number }, dtype: Dtype): TileLayout => ({
  ...warpLayout(values),
  split: values.SPLIT,
  weights: weightsOf(dtype),
});

/** The shape as the shader has it: of bytes, K in words. */
const inSteps = ({ dtype, shape }: Problem<'matmul'>): MatmulShape =>
  areBytes(dtype) ? { ...shape, k: shape.k / 4 } : shape;

export const warpTile = gpuKernel({
  id: 'matmul/warp-tile',
  op: 'matmul',
  rung: 6,
  idea: 'Register tiles arranged so that a warp reads few distinct words of workgroup memory',
  dtypes: [
    'f32',
    'i32',
    'f16',
    'f32-nt',
    'f16-nt',
    'f16-q8',
    'f16-q4',
    'f32-q4',
    'f32-q4z',
    'q8-q8',
    'i8-nt',
  ],
  tunables: [
    ...WARP_TUNABLES,
    splitTunable([1, 2, 4, 8, 16, 32, 64, 128, 256]),
    MULADD,
    ...STAGING_TUNABLES,
  ],
  constraints: WARP_CONSTRAINTS,
  problemConstraints: [
    ...WARP_PROBLEM_CONSTRAINTS,
    {
      reason:
        'BN × BK must be a multiple of 16 × threads where B is by rows: each thread stages 4 × 4 blocks',
      holds: (values, { dtype }) => {
        const { bn, bk, threads } = layoutOf(values, dtype);
        return weightsOf(dtype) === undefined || (bn * bk) % (16 * threads) === 0;
      },
    },
  ],
  wgsl: (values, dtype, { batched, epilogue }) =>
    emitTileKernel({ ...layoutOf(values, dtype), batched, epilogue }),
  batches: true,
  entryPoint: (_values, problem) => tileEntryPoint(inSteps(problem)),
  constants: (_values, problem) => {
    const { m, n, k } = inSteps(problem);
    return [{ type: 'uniform', words: [m, n, k] }];
  },
  needs: (values, dtype) => ({
    ...tileNeeds(layoutOf(values, dtype)),
    features: packedDots(dtype),
  }),
  workgroups: (values, { shape }) => gridOverC(shape, values.BM, values.BN, values),
  ...SPLIT_PASSES,
  candidates: (problem) => splitTiles(warpTilesFor(problem), problem),
});
