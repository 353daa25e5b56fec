import type { HostKernel } from '../../kernel';
import { transposeShape } from '../op';

/** Two loops, reading along rows: the host baseline of the published notebook. */
export const cpuNaive: HostKernel = {
  id: 'transpose/cpu-naive',
  op: 'transpose',
  runsOn: 'cpu',
  rung: 1,
  idea: 'Two loops on the host',
  dtypes: ['f32', 'i32'],
  tunables: [],
  constraints: [],
  run: (_values, problem, [a], b) => {
    const { rows, cols } = transposeShape(problem);
    if (!a) throw new TypeError('transpose takes one input');
    for (let row = 0; row < rows; row++) {
      for (let col = 0; col < cols; col++) {
        b[col * rows + row] = a[row * cols + col] as number;
      }
    }
  },
};
