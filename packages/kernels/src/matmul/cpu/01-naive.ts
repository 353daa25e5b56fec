import { hostKernel } from '../../kernel/kernel';

/** The textbook triple loop, summing in C in memory: the host baseline of the published reports. */
export const cpuNaive = hostKernel({
  id: 'matmul/cpu-naive',
  op: 'matmul',
  rung: 1,
  idea: 'Triple loop on the host, the sum in memory',
  dtypes: ['f32', 'i32'],
  tunables: [],
  run: (_values, problem, [a, b], c) => {
    const { b: batch = 1, m, n, k } = problem.shape;
    if (!a || !b) throw new TypeError('matmul takes two inputs');
    for (let row = 0; row < batch * m; row++) {
      const begin = Math.floor(row / m) * k * n;
      for (let col = 0; col < n; col++) {
        const at = row * n + col;
        c[at] = 0;
        for (let p = 0; p < k; p++) {
          c[at] =
            (c[at] as number) + (a[row * k + p] as number) * (b[begin + p * n + col] as number);
        }
      }
    }
  },
});
