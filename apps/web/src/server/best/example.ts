import type { Question } from '@tilemark/core';
import type { Shape } from '@tilemark/kernels';

/** Of a reader who has asked nothing yet: one row, many, and a square. */
export const EXAMPLE: Readonly<Record<Question['op'], readonly Shape[]>> = {
  matmul: [
    { m: 1, n: 4096, k: 4096 },
    { m: 512, n: 4096, k: 4096 },
    { m: 4096, n: 4096, k: 4096 },
  ],
  transpose: [
    { rows: 4096, cols: 4096 },
    { rows: 65_536, cols: 16 },
  ],
};
