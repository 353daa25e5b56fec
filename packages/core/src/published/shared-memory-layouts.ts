import type { Problem, TunableValues } from '@tilemark/kernels';
import {
  type PublishedHardware,
  type PublishedResult,
  type PublishedSource,
  type PublishedTable,
  squareMatmul,
} from './table';

const source: PublishedSource = {
  id: 'lab-report-shared-memory-layouts',
  title:
    'GPU matrix multiplication: shared-memory layouts, block size and micro-optimisations (course lab report)',
  language: 'ko',
  note: "the report's first listing labels RC 'A transposed' and CR 'B transposed'; its own profile headings, block-size tables and code say RC = B transposed, CR = A transposed, which is used here",
};

const hardware: PublishedHardware = {
  gpu: 'NVIDIA GeForce RTX 3080',
  cpu: 'AMD Ryzen 9 3900X',
};

/** How the tiles of A and B are kept, by the report's label. */
const LAYOUTS = {
  RR: { A_LAYOUT: 'row', B_LAYOUT: 'row' },
  RC: { A_LAYOUT: 'row', B_LAYOUT: 'col' },
  CR: { A_LAYOUT: 'col', B_LAYOUT: 'row' },
  CC: { A_LAYOUT: 'col', B_LAYOUT: 'col' },
} as const;
const LABELS = ['RR', 'RC', 'CR', 'CC'] as const;

/** The report runs x along rows. */
const MAPPING = 'row-x';

function tiled(
  label: string,
  tunables: TunableValues,
  problem: Problem,
  timeMs: number,
): PublishedResult {
  const variant = { kernel: 'matmul/tiled', tunables: { ...tunables, MAPPING } };
  return { label, runtime: 'cuda', variant, problem, timeMs };
}

type FiveTimes = readonly [Basic: number, RR: number, RC: number, CR: number, CC: number];

/** A row of the report: the five kernels at one block size and one matrix size, ms. */
function fiveKernels(block: number, n: number, times: FiveTimes): PublishedResult[] {
  const [basicMs, ...layoutsMs] = times;
  const problem = squareMatmul(n, 'f32');
  const basic = { kernel: 'matmul/naive', tunables: { BLOCK: block, MAPPING } };
  return [
    { label: 'Basic', runtime: 'cuda', variant: basic, problem, timeMs: basicMs },
    ...LABELS.map((label, index) =>
      tiled(label, { TILE: block, ...LAYOUTS[label] }, problem, layoutsMs[index] ?? Number.NaN),
    ),
  ];
}

/** Section 1.1. */
export const publishedLayouts: PublishedTable = {
  source,
  hardware,
  results: fiveKernels(16, 8192, [2198.0593, 1558.5309, 1542.6879, 828.9903, 788.8635]),
  profiles: [
    {
      label: 'RR',
      computeThroughputPercent: 36.71,
      memoryThroughputPercent: 98.34,
      l1Percent: 98.77,
      l2Percent: 7.45,
      dramPercent: 8.98,
      durationMs: 67.05,
    },
    {
      label: 'RC',
      computeThroughputPercent: 37.6,
      memoryThroughputPercent: 97.06,
      l1Percent: 98.67,
      l2Percent: 7.86,
      dramPercent: 9.69,
      durationMs: 64.66,
    },
    {
      label: 'CR',
      computeThroughputPercent: 70.64,
      memoryThroughputPercent: 72.63,
      l1Percent: 74.36,
      l2Percent: 14.6,
      dramPercent: 17.91,
      durationMs: 34.17,
    },
    {
      label: 'CC',
      computeThroughputPercent: 74.55,
      memoryThroughputPercent: 74.55,
      l1Percent: 75.8,
      l2Percent: 15.25,
      dramPercent: 18.55,
      durationMs: 33.31,
    },
  ],
};

/** Section 1.2. */
export const publishedBlockSize: PublishedTable = {
  source,
  hardware,
  results: [
    ...fiveKernels(4, 8192, [4505.9146, 5095.7059, 4933.4488, 4951.2598, 4989.0495]),
    ...fiveKernels(8, 8192, [1648.1403, 1514.4014, 1490.1791, 1471.4109, 1485.4773]),
    ...fiveKernels(16, 8192, [2200.3598, 1565.7458, 1507.4701, 821.5708, 789.1053]),
    ...fiveKernels(32, 8192, [4263.6925, 4871.2111, 4703.7056, 1013.8894, 905.0313]),
  ],
  profiles: [
    {
      label: 'CC',
      block: 4,
      computeThroughputPercent: 38.76,
      memoryThroughputPercent: 38.78,
      l1Percent: 39.03,
      l2Percent: 9.34,
      dramPercent: 14.78,
      durationMs: 5660,
      occupancy: {
        theoreticalPercent: 33.33,
        achievedPercent: 33.33,
        theoreticalWarpsPerMultiprocessor: 16,
      },
    },
    {
      label: 'CC',
      block: 8,
      computeThroughputPercent: 60.31,
      memoryThroughputPercent: 60.31,
      l1Percent: 61.45,
      l2Percent: 21.88,
      dramPercent: 26.46,
      durationMs: 1490,
      occupancy: {
        theoreticalPercent: 66.67,
        achievedPercent: 66.73,
        theoreticalWarpsPerMultiprocessor: 32,
      },
    },
    {
      label: 'CC',
      block: 16,
      computeThroughputPercent: 75.05,
      memoryThroughputPercent: 75.05,
      l1Percent: 76.07,
      l2Percent: 15.55,
      dramPercent: 18.86,
      durationMs: 1140,
      occupancy: {
        theoreticalPercent: 100,
        achievedPercent: 99.93,
        theoreticalWarpsPerMultiprocessor: 48,
      },
    },
    {
      label: 'CC',
      block: 32,
      computeThroughputPercent: 60.98,
      memoryThroughputPercent: 60.98,
      l1Percent: 61.27,
      l2Percent: 6.92,
      dramPercent: 8.45,
      durationMs: 1260,
      occupancy: {
        theoreticalPercent: 66.67,
        achievedPercent: 66.6,
        theoreticalWarpsPerMultiprocessor: 32,
      },
    },
  ],
};

/** The report's end product: CC with its memory sized by a constant and one comparison less. */
const FINAL = { TILE: 16, ...LAYOUTS.CC, SIZING: 'const', BOUNDS: 'or' };

function host(label: string, kernel: string, n: number, timeMs: number): PublishedResult {
  const problem = squareMatmul(n, 'f32');
  return { label, runtime: 'cpu', variant: { kernel, tunables: {} }, problem, timeMs };
}

/** The report's conclusion. */
export const publishedHostVsDevice: PublishedTable = {
  source,
  hardware,
  results: [
    ...fiveKernels(16, 2048, [40.8073, 29.168, 27.1172, 16.4, 14.2853]),
    tiled('CC_V_FINAL', FINAL, squareMatmul(2048, 'f32'), 13.963),
    ...fiveKernels(16, 4096, [289.7464, 196.7516, 187.545, 103.3015, 100.2705]),
    tiled('CC_V_FINAL', FINAL, squareMatmul(4096, 'f32'), 100.1689),
    host('serial host', 'matmul/cpu-naive', 2048, 55424.7819),
    host('OpenMP host', 'matmul/cpu-parallel', 2048, 2895.9454),
    host('OpenMP host', 'matmul/cpu-parallel', 4096, 115792.4934),
  ],
  transfers: [
    { shape: { m: 2048, n: 2048, k: 2048 }, hostToDeviceMs: 9.9945, deviceToHostMs: 2.9613 },
    { shape: { m: 4096, n: 4096, k: 4096 }, hostToDeviceMs: 38.1125, deviceToHostMs: 10.7331 },
  ],
};
