import { hostKernel } from '../../kernel/kernel';

/** The triple loop with the sum in a local variable. */
export const cpuRegister = hostKernel({
  id: 'matmul/cpu-register',
  op: 'matmul',
  rung: 2,
  idea: 'Triple loop on the host, the sum in a local variable',
  dtypes: ['f32', 'i32'],
  tunables: [],
  run: (_values, problem, [a, b], c) => {
    const { b: batch = 1, m, n, k } = problem.shape;
    if (!a || !b) throw new TypeError('matmul takes two inputs');
    for (let row = 0; row < batch * m; row++) {
      const begin = Math.floor(row / m) * k * n;
      for (let col = 0; col < n; col++) {
        let sum = 0;
        for (let p = 0; p < k; p++) {
          sum += (a[row * k + p] as number) * (b[begin + p * n + col] as number);
        }
        c[row * n + col] = sum;
      }
    }
  },
});
