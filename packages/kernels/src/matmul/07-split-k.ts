import { DTYPES } from '../dtype';
import { gpuKernel, tunable } from '../kernel';
import type { Problem } from '../problem';
import wgsl from './07-split-k.wgsl?raw';
import { gridOverC } from './grid';

/** Sums are kept in f32 or i32. */
const BYTES_PER_SUM = 4;

export const splitK = gpuKernel({
  id: 'matmul/split-k',
  op: 'matmul',
  rung: 7,
  changes: 'matmul/tiled',
  idea: 'K split among workgroups; a second pass adds their sums',
  dtypes: ['f32', 'i32', 'f16'],
  tunables: [
    tunable('TILE', 'Side of a tile, and threads along each side of a workgroup', [8, 16, 32], 16),
    tunable('SPLIT', 'Parts of K, each summed by its own workgroup', [2, 4, 8, 16, 32], 8),
  ],
  wgsl,
  needs: (values, dtype) => {
    const tile = values.TILE;
    return {
      workgroupSize: [tile, tile, 1],
      workgroupBytes: 2 * tile * tile * DTYPES[dtype].bytes,
    };
  },
  workgroups: (values, problem) => {
    const [x, y] = gridOfTiles(values, problem);
    return [x, y, values.SPLIT];
  },
  followUps: (values, problem) => [
    { entryPoint: 'add_parts', workgroups: gridOfTiles(values, problem) },
  ],
  scratchBytes: (values, problem) => {
    const { m, n } = problem.shape;
    return values.SPLIT * m * n * BYTES_PER_SUM;
  },
  splitBy: ['SPLIT'],
  work: ({ SPLIT }, { shape }) => ({ steps: shape.k / SPLIT }),
});

function gridOfTiles({ TILE: tile }: { readonly TILE: number }, problem: Problem<'matmul'>) {
  return gridOverC(problem.shape, tile, tile);
}
