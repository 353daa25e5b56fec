import { describeKernels } from '../gpu/kernel-suite.test-helper';

describeKernels('matmul', {
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
    // The worked example of the tiling lesson: 8 x 8 by tiles of 4 x 4.
    { m: 8, n: 8, k: 8 },
  ],
  tuned: [
    { m: 37, n: 70, k: 45 },
    { m: 32, n: 96, k: 64 },
  ],
});
