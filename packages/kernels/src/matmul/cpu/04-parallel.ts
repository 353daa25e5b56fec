import { THREADS, threadsOf } from '../../host/threads';
import type { HostKernel } from '../../kernel';
import { numberOf } from '../../values';
import { matmulShape } from '../op';
import { BLOCK, multiplyRows } from './03-blocked';

/** The blocked loops with the rows of C shared among threads. */
export const cpuParallel: HostKernel = {
  id: 'matmul/cpu-parallel',
  op: 'matmul',
  runsOn: 'cpu',
  rung: 4,
  idea: 'Cache-blocked loops on every core of the host',
  dtypes: ['f32', 'i32'],
  tunables: [THREADS, BLOCK],
  constraints: [],
  threads: threadsOf,
  run: (values, problem, [a, b], c, rows) => {
    if (!a || !b) throw new TypeError('matmul takes two inputs');
    multiplyRows(matmulShape(problem), numberOf(values, 'BLOCK'), a, b, c, rows);
  },
};
