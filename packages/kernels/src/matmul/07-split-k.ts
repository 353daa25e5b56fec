import { BYTES_PER_ELEMENT } from '../dtype';
import type { GpuKernel, TunableValues } from '../kernel';
import type { Problem } from '../problem';
import { numberOf } from '../values';
import wgsl from './07-split-k.wgsl';
import { gridOverC } from './grid';
import { matmulShape } from './op';

/** Sums are kept in f32 or i32. */
const BYTES_PER_SUM = 4;

export const splitK: GpuKernel = {
  id: 'matmul/split-k',
  op: 'matmul',
  runsOn: 'gpu',
  rung: 7,
  idea: 'K split over workgroups, whose sums a second pass adds up',
  dtypes: ['f32', 'i32', 'f16'],
  tunables: [
    {
      name: 'TILE',
      about: 'Side of a tile, and threads along each side of a workgroup',
      values: [8, 16, 32],
      default: 16,
    },
    {
      name: 'SPLIT',
      about: 'Parts of K, each summed by its own workgroup',
      values: [2, 4, 8, 16, 32],
      default: 8,
    },
  ],
  constraints: [],
  wgsl,
  needs: (values, dtype) => {
    const tile = numberOf(values, 'TILE');
    return {
      workgroupSize: [tile, tile, 1],
      workgroupBytes: 2 * tile * tile * BYTES_PER_ELEMENT[dtype],
      features: [],
    };
  },
  workgroups: (values, problem) => {
    const [x, y] = gridOfTiles(values, problem);
    return [x, y, numberOf(values, 'SPLIT')];
  },
  followUps: (values, problem) => [
    { entryPoint: 'add_parts', workgroups: gridOfTiles(values, problem) },
  ],
  scratchBytes: (values, problem) => {
    const { m, n } = matmulShape(problem);
    return numberOf(values, 'SPLIT') * m * n * BYTES_PER_SUM;
  },
};

function gridOfTiles(values: TunableValues, problem: Problem) {
  const tile = numberOf(values, 'TILE');
  return gridOverC(values, problem, tile, tile);
}
