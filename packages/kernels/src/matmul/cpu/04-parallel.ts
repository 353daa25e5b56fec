import { hostKernel, THREADS } from '../../kernel/kernel';
import { BLOCK, multiplyRows } from './03-blocked';

/** The blocked loops with the rows of C shared among threads. */
export const cpuParallel = hostKernel({
  id: 'matmul/cpu-parallel',
  op: 'matmul',
  rung: 4,
  idea: 'Cache-blocked loops on every core of the host',
  dtypes: ['f32', 'i32'],
  tunables: [THREADS, BLOCK],
  threads: ({ THREADS }) => THREADS,
  run: (values, problem, [a, b], c, rows) => {
    if (!a || !b) throw new TypeError('matmul takes two inputs');
    multiplyRows(problem.shape, values.BLOCK, a, b, c, rows);
  },
});
