import { hostKernel, THREADS } from '../../kernel/kernel';
import { BLOCK, transposeRows } from './02-blocked';

/** The blocked loops with the rows of B shared among threads. */
export const cpuParallel = hostKernel({
  id: 'transpose/cpu-parallel',
  op: 'transpose',
  rung: 3,
  idea: 'Cache-blocked loops on every core of the host',
  dtypes: ['f32', 'i32'],
  tunables: [THREADS, BLOCK],
  threads: ({ THREADS }) => THREADS,
  run: (values, problem, [a], b, rows) => {
    if (!a) throw new TypeError('transpose takes one input');
    transposeRows(problem.shape, values.BLOCK, a, b, rows);
  },
});
