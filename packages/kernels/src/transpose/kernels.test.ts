import { describeKernels } from '../gpu/kernel-suite.test-helper';

describeKernels('transpose', {
  // Square, non-square, odd, size-1, skinny, and not a multiple of any tile.
  shapes: [
    { rows: 1, cols: 1 },
    { rows: 64, cols: 64 },
    { rows: 1, cols: 131 },
    { rows: 131, cols: 1 },
    { rows: 33, cols: 70 },
    { rows: 36, cols: 68 },
    { rows: 257, cols: 6 },
    { rows: 100, cols: 127 },
    // Strips.
    { rows: 1501, cols: 3 },
    { rows: 5, cols: 2003 },
  ],
  // Wide enough for more than one band of every tile.
  tuned: [
    { rows: 37, cols: 1102 },
    { rows: 64, cols: 128 },
  ],
});
