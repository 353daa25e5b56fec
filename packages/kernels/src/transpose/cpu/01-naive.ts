import { hostKernel } from '../../kernel/kernel';

/** Two loops, reading along rows: the host baseline of the published notebook. */
export const cpuNaive = hostKernel({
  id: 'transpose/cpu-naive',
  op: 'transpose',
  rung: 1,
  idea: 'Two loops on the host',
  dtypes: ['f32', 'i32'],
  tunables: [],
  run: (_values, problem, [a], b) => {
    const { rows, cols } = problem.shape;
    if (!a) throw new TypeError('transpose takes one input');
    for (let row = 0; row < rows; row++) {
      for (let col = 0; col < cols; col++) {
        b[col * rows + row] = a[row * cols + col] as number;
      }
    }
  },
});
