import { THREADS, threadsOf } from '../../host/threads';
import type { HostKernel } from '../../kernel';
import { numberOf } from '../../values';
import { transposeShape } from '../op';
import { BLOCK, transposeRows } from './02-blocked';

/** The blocked loops with the rows of B shared among threads. */
export const cpuParallel: HostKernel = {
  id: 'transpose/cpu-parallel',
  op: 'transpose',
  runsOn: 'cpu',
  rung: 3,
  idea: 'Cache-blocked loops on every core of the host',
  dtypes: ['f32', 'i32'],
  tunables: [THREADS, BLOCK],
  constraints: [],
  threads: threadsOf,
  run: (values, problem, [a], b, rows) => {
    if (!a) throw new TypeError('transpose takes one input');
    transposeRows(transposeShape(problem), numberOf(values, 'BLOCK'), a, b, rows);
  },
};
