import { type PublishedResult, type PublishedTable, squareMatmul, UNKNOWN_HARDWARE } from './table';

/** Threads per side of a block, which is also the tile's side: the columns of the report. */
const SIDES = [1, 2, 4, 8, 16, 32] as const;
type Times = readonly [number, number, number, number, number, number];

/** Times by matrix size, ms; one figure per block size. */
const WITHOUT_SHARED_MEMORY: readonly (readonly [n: number, times: Times])[] = [
  [256, [0.56473, 0.13613, 0.054879, 0.031744, 0.026688, 0.023872]],
  [512, [4.4398, 1.1367, 0.44064, 0.23501, 0.15773, 0.17721]],
  [1024, [35.417, 9.0106, 3.4307, 1.7674, 1.2336, 1.1299]],
  [4096, [2549.44, 653.77, 214.05, 148.98, 79.828, 72.097]],
];
const WITH_SHARED_MEMORY: readonly (readonly [n: number, times: Times])[] = [
  [256, [2.7026, 0.42278, 0.08176, 0.024095, 0.018592, 0.01696]],
  [512, [21.337, 3.2758, 0.57011, 0.15664, 0.099935, 0.10003]],
  [1024, [170.39, 26.046, 4.4598, 1.1589, 0.73126, 0.64396]],
  [4096, [11434.7, 1634.59, 309.47, 78.99, 44.777, 40.793]],
];

const row = (label: string, kernel: string, side: string, n: number, times: Times) =>
  times.map(
    (timeMs, index): PublishedResult => ({
      label,
      runtime: 'cuda',
      variant: { kernel, tunables: { [side]: SIDES[index] ?? 0, MAPPING: 'col-x' } },
      problem: squareMatmul(n, 'i32'),
      timeMs,
    }),
  );

export const publishedThreadsPerBlock: PublishedTable = {
  source: {
    id: 'lab-report-threads-per-block',
    title:
      'CUDA matrix multiplication with and without shared memory, 1 to 32 threads per block side (course lab report)',
    language: 'zh',
  },
  hardware: UNKNOWN_HARDWARE,
  results: [
    ...WITHOUT_SHARED_MEMORY.flatMap(([n, times]) =>
      row('without shared memory', 'matmul/naive', 'BLOCK', n, times),
    ),
    ...WITH_SHARED_MEMORY.flatMap(([n, times]) =>
      row('with shared memory', 'matmul/tiled', 'TILE', n, times),
    ),
  ],
};
