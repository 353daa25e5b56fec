import type { Problem } from '@tilemark/kernels';
import { type Figure, figure, report, squareMatmul } from './report';

/** How the tiles of A and B are stored, by the label of the report on layouts. */
const LAYOUTS = {
  RR: { A_LAYOUT: 'row', B_LAYOUT: 'row' },
  RC: { A_LAYOUT: 'row', B_LAYOUT: 'col' },
  CR: { A_LAYOUT: 'col', B_LAYOUT: 'row' },
  CC: { A_LAYOUT: 'col', B_LAYOUT: 'col' },
} as const;

/** The report runs x along rows. */
const MAPPING = 'row-x';

/** A row of the report: the naive kernel and the four layouts at one block and matrix size, ms. */
const fiveKernels = (block: number, n: number, [basicMs = 0, ...layoutsMs]: number[]): Figure[] => [
  figure('Basic', 'matmul/naive', { BLOCK: block, MAPPING }, squareMatmul(n), basicMs),
  ...Object.entries(LAYOUTS).map(([label, layout], at) => {
    const tunables = { TILE: block, ...layout, MAPPING };
    return figure(label, 'matmul/tiled', tunables, squareMatmul(n), layoutsMs[at] ?? Number.NaN);
  }),
];

const LAYOUTS_REPORT = {
  id: 'lab-report-shared-memory-layouts',
  title:
    'GPU matrix multiplication: shared-memory layouts, block size and micro-optimisations (course lab report)',
  language: 'ko',
  note: "The report's first listing labels RC 'A transposed' and CR 'B transposed'; its profile headings, block-size tables, and code say the opposite (RC = B transposed, CR = A transposed), which is what we use.",
};
const hardware = { gpu: 'NVIDIA GeForce RTX 3080', cpu: 'AMD Ryzen 9 3900X' };

/** Section 1.1. */
export const publishedLayouts = report(LAYOUTS_REPORT, {
  hardware,
  results: fiveKernels(16, 8192, [2198.0593, 1558.5309, 1542.6879, 828.9903, 788.8635]),
});

/** Section 1.2. */
export const publishedBlockSize = report(LAYOUTS_REPORT, {
  hardware,
  results: [
    ...fiveKernels(4, 8192, [4505.9146, 5095.7059, 4933.4488, 4951.2598, 4989.0495]),
    ...fiveKernels(8, 8192, [1648.1403, 1514.4014, 1490.1791, 1471.4109, 1485.4773]),
    ...fiveKernels(16, 8192, [2200.3598, 1565.7458, 1507.4701, 821.5708, 789.1053]),
    ...fiveKernels(32, 8192, [4263.6925, 4871.2111, 4703.7056, 1013.8894, 905.0313]),
  ],
});

/** The report's end product: CC with constant-sized memory and one comparison fewer. */
const FINAL = { TILE: 16, ...LAYOUTS.CC, SIZING: 'const', BOUNDS: 'or', MAPPING };

/** The report's conclusion. */
export const publishedHostVsDevice = report(LAYOUTS_REPORT, {
  hardware,
  results: [
    ...fiveKernels(16, 2048, [40.8073, 29.168, 27.1172, 16.4, 14.2853]),
    figure('CC_V_FINAL', 'matmul/tiled', FINAL, squareMatmul(2048), 13.963),
    ...fiveKernels(16, 4096, [289.7464, 196.7516, 187.545, 103.3015, 100.2705]),
    figure('CC_V_FINAL', 'matmul/tiled', FINAL, squareMatmul(4096), 100.1689),
    figure('serial host', 'matmul/cpu-naive', {}, squareMatmul(2048), 55424.7819),
    figure('OpenMP host', 'matmul/cpu-parallel', {}, squareMatmul(2048), 2895.9454),
    figure('OpenMP host', 'matmul/cpu-parallel', {}, squareMatmul(4096), 115792.4934),
  ],
});

/** Threads per side of a block, which is also the tile's side: the columns of the report. */
const SIDES = [1, 2, 4, 8, 16, 32];

/** Times by matrix size, ms; one figure per block size. */
const bySide = (label: string, kernel: string, side: string, rows: [n: number, ms: number[]][]) =>
  rows.flatMap(([n, times]) =>
    times.map((timeMs, at) => {
      const tunables = { [side]: SIDES[at] ?? 0, MAPPING: 'col-x' };
      return figure(label, kernel, tunables, squareMatmul(n, 'i32'), timeMs);
    }),
  );

export const publishedThreadsPerBlock = report(
  {
    id: 'lab-report-threads-per-block',
    title:
      'CUDA matrix multiplication with and without shared memory, 1 to 32 threads per block side (course lab report)',
    language: 'zh',
  },
  {
    results: [
      ...bySide('without shared memory', 'matmul/naive', 'BLOCK', [
        [256, [0.56473, 0.13613, 0.054879, 0.031744, 0.026688, 0.023872]],
        [512, [4.4398, 1.1367, 0.44064, 0.23501, 0.15773, 0.17721]],
        [1024, [35.417, 9.0106, 3.4307, 1.7674, 1.2336, 1.1299]],
        [4096, [2549.44, 653.77, 214.05, 148.98, 79.828, 72.097]],
      ]),
      ...bySide('with shared memory', 'matmul/tiled', 'TILE', [
        [256, [2.7026, 0.42278, 0.08176, 0.024095, 0.018592, 0.01696]],
        [512, [21.337, 3.2758, 0.57011, 0.15664, 0.099935, 0.10003]],
        [1024, [170.39, 26.046, 4.4598, 1.1589, 0.73126, 0.64396]],
        [4096, [11434.7, 1634.59, 309.47, 78.99, 44.777, 40.793]],
      ]),
    ],
  },
);

export const publishedTilingLadder = report(
  {
    id: 'blog-matmul-ladder',
    title: 'Matrix multiplication on host and GPU: naive, tiled, more work per thread (blog)',
    language: 'ko',
    date: '2025-05-22',
    note: 'kernels only, no timings',
  },
  {},
);

const COLD = 'single cold run; includes the cost of the first launch';
const TILED = { TILE: 16, ...LAYOUTS.RR, MAPPING: 'col-x' };

export const publishedTiledVsNaive = report(
  {
    id: 'blog-tiled-vs-naive',
    title: 'Tiling: naive vs. 16 × 16 tiles at n = 1024 (blog)',
    language: 'ko',
  },
  {
    results: [
      figure(
        'naive',
        'matmul/naive',
        { BLOCK: 16, MAPPING: 'col-x' },
        squareMatmul(1024),
        22.2422,
        COLD,
      ),
      figure('tiled', 'matmul/tiled', TILED, squareMatmul(1024), 1.6547),
    ],
  },
);

const photo: Problem = { op: 'transpose', shape: { rows: 3072, cols: 4096 }, dtype: 'f32' };
const BYTES = 'the source prints GB/s for 16 bytes per element; an f32 transpose moves 8';
const OTHER_SIZE = `doubtful, since the printed rate of this row implies a different matrix size from the one the source states; ${BYTES}`;

/** The source times the host again beside each kernel. */
const hostBeside = (kernel: string, timeMs: number): Figure =>
  figure(`host, beside ${kernel}`, 'transpose/cpu-naive', {}, photo, timeMs);

export const publishedTransposeLadder = report(
  {
    id: 'notebook-transpose',
    title: 'Transpose: naive, shared memory, padded shared memory (course notebook)',
    language: 'ko',
  },
  {
    results: [
      figure('naive', 'transpose/naive', { BLOCK: 16 }, photo, 0.172, OTHER_SIZE),
      figure('shared memory', 'transpose/tiled', { TILE: 16 }, photo, 0.341, BYTES),
      figure('no bank conflict', 'transpose/padded', { TILE: 16 }, photo, 0.27, BYTES),
      hostBeside('naive', 21.915),
      hostBeside('shared memory', 346.841),
      hostBeside('no bank conflict', 318.297),
    ],
  },
);
