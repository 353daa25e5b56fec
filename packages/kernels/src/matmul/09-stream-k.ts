import type { GpuKernel, TunableValues } from '../kernel';
import type { Problem } from '../problem';
import { ceilDiv, numberOf } from '../values';
import { matmulShape } from './op';
import { emitTileKernel, tileEntryPoint } from './tile-emitter';
import type { TileLayout } from './tile-layout';
import { ADD_THREADS, MAX_ADD_GROUPS, tileNeeds } from './tile-memory';
import {
  MULADD,
  STAGING_TUNABLES,
  size,
  WARP_CONSTRAINTS,
  WARP_PROBLEM_CONSTRAINTS,
  WARP_TUNABLES,
  warpLayout,
} from './warp-layout';

const layoutOf = (values: TunableValues): TileLayout & { readonly wave: number } => ({
  ...warpLayout(values),
  wave: numberOf(values, 'WAVE'),
});

/** Tiles that have a workgroup of their own, and those at the end that all share. */
function tilesOf(values: TunableValues, problem: Problem) {
  const { bm, bn, wave } = layoutOf(values);
  const { m, n } = matmulShape(problem);
  const tiles = ceilDiv(m, bm) * ceilDiv(n, bn);
  return { wave, whole: tiles - (tiles % wave), shared: tiles % wave };
}

/**
 * Tiles in whole rounds are computed as in warp-tile. What is left over would keep a part
 * of the device busy and the rest idle: it is cut into equal shares along K instead, one
 * for each workgroup that fits the device (M. Osama et al., Stream-K: Work-centric
 * parallel decomposition for dense matrix-matrix multiplication on the GPU, 2023).
 */
export const streamK: GpuKernel = {
  id: 'matmul/stream-k',
  op: 'matmul',
  runsOn: 'gpu',
  rung: 9,
  idea: 'Warp tiles whose last round is shared evenly among all processors',
  dtypes: ['f32', 'i32', 'f16'],
  tunables: [
    ...WARP_TUNABLES,
    size(
      'WAVE',
      'Workgroups that the device runs at once, which share the last tiles; two a processor of an NVIDIA H100 or H200 are 264',
      [16, 32, 64, 108, 128, 132, 216, 256, 264],
      264,
    ),
    MULADD,
    ...STAGING_TUNABLES,
  ],
  constraints: WARP_CONSTRAINTS,
  problemConstraints: WARP_PROBLEM_CONSTRAINTS,
  wgsl: (values) => emitTileKernel(layoutOf(values)),
  entryPoint: (_values, problem) => tileEntryPoint(matmulShape(problem)),
  needs: (values) => tileNeeds(layoutOf(values)),
  workgroups: (values, problem) => {
    const { whole, shared, wave } = tilesOf(values, problem);
    return [whole + (shared > 0 ? wave : 0), 1, 1];
  },
  followUps: (values, problem) => {
    const { bm, bn } = layoutOf(values);
    const { shared } = tilesOf(values, problem);
    const groups = Math.min(ceilDiv((shared * bm * bn) / 4, ADD_THREADS), MAX_ADD_GROUPS);
    return shared > 0 ? [{ entryPoint: 'add_parts', workgroups: [groups, 1, 1] }] : [];
  },
  // Two slots a workgroup: its share may end one tile and begin the next.
  scratchBytes: (values) => {
    const { bm, bn, wave } = layoutOf(values);
    return 2 * wave * bm * bn * 4;
  },
};
