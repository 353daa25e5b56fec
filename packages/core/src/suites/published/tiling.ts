import { type PublishedTable, squareMatmul, UNKNOWN_HARDWARE } from './table';

export const publishedTilingLadder: PublishedTable = {
  source: {
    id: 'blog-matmul-ladder',
    title: 'Matrix multiplication on host and GPU: naive, tiled, more work per thread (blog)',
    language: 'ko',
    date: '2025-05-22',
    note: 'kernels only, no timings',
  },
  hardware: UNKNOWN_HARDWARE,
  results: [],
};

const problem = squareMatmul(1024, 'f32');

export const publishedTiledVsNaive: PublishedTable = {
  source: {
    id: 'blog-tiled-vs-naive',
    title: 'Tiling: naive vs. 16x16 tiles at n = 1024 (blog)',
    language: 'ko',
  },
  hardware: UNKNOWN_HARDWARE,
  results: [
    {
      label: 'naive',
      runtime: 'cuda',
      variant: { kernel: 'matmul/naive', tunables: { BLOCK: 16, MAPPING: 'col-x' } },
      problem,
      timeMs: 22.2422,
      note: 'single cold run; includes the cost of the first launch',
    },
    {
      label: 'tiled',
      runtime: 'cuda',
      variant: {
        kernel: 'matmul/tiled',
        tunables: { TILE: 16, A_LAYOUT: 'row', B_LAYOUT: 'row', MAPPING: 'col-x' },
      },
      problem,
      timeMs: 1.6547,
    },
  ],
};
