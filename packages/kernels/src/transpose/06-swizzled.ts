import { BYTES_PER_ELEMENT } from '../dtype';
import type { GpuKernel } from '../kernel';
import { numberOf } from '../values';
import wgsl from './06-swizzled.wgsl';
import { entryPointByAlignment } from './alignment';
import { gridOverA } from './tile';

export const swizzled: GpuKernel = {
  id: 'transpose/swizzled',
  op: 'transpose',
  runsOn: 'gpu',
  rung: 6,
  idea: '4 x 4 blocks transposed in registers, through a permuted tile without padding',
  dtypes: ['f32', 'i32', 'f16'],
  tunables: [
    {
      name: 'TILE_ROWS',
      about: 'Rows of A in a tile: the length of a run written to B',
      values: [16, 32, 64, 128],
      default: 64,
    },
    {
      name: 'TILE_COLS',
      about: 'Columns of A in a tile: the length of a run read; a workgroup is a quarter as wide',
      values: [16, 32, 64, 128],
      default: 64,
    },
    {
      name: 'THREADS_Y',
      about: 'Threads down a workgroup; each moves TILE_ROWS / 4 / THREADS_Y blocks of 4 x 4',
      values: [4, 8, 16, 32],
      default: 16,
    },
    {
      name: 'ORDER',
      about:
        'Neighbouring workgroups lie along a row of A, a column, a diagonal, or in bands of 8 columns',
      values: ['rows-first', 'cols-first', 'diagonal', 'bands'],
      default: 'cols-first',
    },
  ],
  constraints: [
    {
      reason: 'THREADS_Y must be at most TILE_ROWS / 4: the other threads would have no block',
      holds: (values) => 4 * numberOf(values, 'THREADS_Y') <= numberOf(values, 'TILE_ROWS'),
    },
  ],
  wgsl,
  entryPoint: entryPointByAlignment,
  needs: (values, dtype) => {
    const cols = numberOf(values, 'TILE_COLS');
    return {
      workgroupSize: [cols / 4, numberOf(values, 'THREADS_Y'), 1],
      workgroupBytes: numberOf(values, 'TILE_ROWS') * cols * BYTES_PER_ELEMENT[dtype],
      features: [],
    };
  },
  workgroups: (values, problem) => {
    const [x, y] = gridOverA(problem, numberOf(values, 'TILE_ROWS'), numberOf(values, 'TILE_COLS'));
    return values.ORDER === 'rows-first' ? [x, y, 1] : [y, x, 1];
  },
};
