import type { SuiteShapes } from '../gpu/kernel-suite.test-helper';

/** What products are tested on. */
export const PRODUCTS: SuiteShapes = {
  // Square, non-square, odd, size-1, skinny, and not a multiple of any tile.
  shapes: [
    { m: 1, n: 1, k: 1 },
    { m: 64, n: 64, k: 64 },
    { m: 33, n: 65, k: 17 },
    { m: 1, n: 70, k: 37 },
    { m: 70, n: 1, k: 5 },
    { m: 5, n: 7, k: 300 },
    { m: 36, n: 68, k: 20 },
    { m: 130, n: 66, k: 1 },
    // Vectors, few rows and few columns; rows that start on a vec4 and rows that do not.
    { m: 1, n: 132, k: 516 },
    { m: 3, n: 131, k: 259 },
    { m: 77, n: 1, k: 516 },
    { m: 67, n: 3, k: 1030 },
    // A long sum into a small C.
    { m: 9, n: 12, k: 2052 },
    // The worked example of the tiling lesson: 8 x 8 by tiles of 4 x 4.
    { m: 8, n: 8, k: 8 },
  ],
  tuned: [
    { m: 37, n: 70, k: 45 },
    { m: 32, n: 96, k: 64 },
    // Few columns, for values that take many threads per element.
    { m: 37, n: 7, k: 45 },
  ],
  // Matrices that start on a vec4 and that do not, on a half of a word, vectors, and a long sum.
  batches: [
    { b: 7, m: 1, n: 1, k: 1 },
    { b: 3, m: 33, n: 65, k: 17 },
    { b: 2, m: 36, n: 68, k: 20 },
    { b: 5, m: 3, n: 131, k: 259 },
    { b: 3, m: 77, n: 1, k: 516 },
    { b: 4, m: 9, n: 12, k: 1028 },
  ],
};
