import { describeKernels } from '../gpu/kernel-suite.test-helper';

// The tunable values of kernels.test.ts, in longer sources too.
describeKernels(
  'matmul',
  {
    shapes: [],
    tuned: [
      { m: 37, n: 70, k: 45 },
      { m: 32, n: 96, k: 64 },
      { m: 37, n: 7, k: 45 },
    ],
  },
  'full',
);
