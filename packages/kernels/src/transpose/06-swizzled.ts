import { DTYPES } from '../dtype';
import { gpuKernel } from '../kernel';
import wgsl from './06-swizzled.wgsl';
import { entryPointByAlignment } from './alignment';
import { gridOverA } from './tile';

export const swizzled = gpuKernel({
  id: 'transpose/swizzled',
  op: 'transpose',
  rung: 6,
  idea: '4 x 4 blocks transposed in registers, through a permuted tile without padding',
  dtypes: ['f32', 'i32', 'f16'],
  tunables: [
    {
      name: 'TILE_ROWS',
      about: 'Rows of A per tile: the length of each run written to B',
      values: [16, 32, 64, 128],
      default: 64,
    },
    {
      name: 'TILE_COLS',
      about: 'Columns of A per tile: the length of each run read; a workgroup is a quarter as wide',
      values: [16, 32, 64, 128],
      default: 64,
    },
    {
      name: 'THREADS_Y',
      about: 'Threads down a workgroup; each moves TILE_ROWS / (4 x THREADS_Y) blocks of 4 x 4',
      values: [4, 8, 16, 32],
      default: 16,
    },
    {
      name: 'ORDER',
      about:
        'Neighbouring workgroups run along a row of A, a column, a diagonal, or in bands of 8 columns',
      values: ['rows-first', 'cols-first', 'diagonal', 'bands'],
      default: 'cols-first',
    },
  ],
  constraints: [
    {
      reason:
        'THREADS_Y must be at most TILE_ROWS / 4; further threads would have no block to move',
      holds: (values) => 4 * values.THREADS_Y <= values.TILE_ROWS,
    },
  ],
  wgsl,
  entryPoint: entryPointByAlignment,
  needs: (values, dtype) => {
    const cols = values.TILE_COLS;
    return {
      workgroupSize: [cols / 4, values.THREADS_Y, 1],
      workgroupBytes: values.TILE_ROWS * cols * DTYPES[dtype].bytes,
      features: [],
    };
  },
  workgroups: (values, problem) => {
    const [x, y] = gridOverA(problem.shape, values.TILE_ROWS, values.TILE_COLS);
    return values.ORDER === 'rows-first' ? [x, y, 1] : [y, x, 1];
  },
});
