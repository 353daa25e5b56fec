import type { Problem, TunableValues } from '@tilemark/kernels';
import {
  type PublishedProfile,
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
  note: "the report's first listing labels RC 'A transposed' and CR 'B transposed'; its profile headings, block-size tables, and code say the opposite (RC = B transposed, CR = A transposed), which is what we use",
};

const hardware = {
  gpu: 'NVIDIA GeForce RTX 3080',
  cpu: 'AMD Ryzen 9 3900X',
};

/** How the tiles of A and B are stored, by the report's label. */
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

type SixFigures = readonly [number, number, number, number, number, number];

/** A row of the report's profiles: percent of the hardware's peak, and the time under the profiler. */
function profile(
  label: string,
  block: number | null,
  [compute, memory, l1, l2, dram, durationMs]: SixFigures,
  occupancy?: readonly [theoretical: number, achieved: number, warps: number],
): PublishedProfile {
  return {
    label,
    block,
    computeThroughputPercent: compute,
    memoryThroughputPercent: memory,
    l1Percent: l1,
    l2Percent: l2,
    dramPercent: dram,
    durationMs,
    occupancy: occupancy
      ? {
          theoreticalPercent: occupancy[0],
          achievedPercent: occupancy[1],
          theoreticalWarpsPerMultiprocessor: occupancy[2],
        }
      : null,
  };
}

/** Section 1.1. */
export const publishedLayouts: PublishedTable = {
  source,
  hardware,
  results: fiveKernels(16, 8192, [2198.0593, 1558.5309, 1542.6879, 828.9903, 788.8635]),
  profiles: [
    profile('RR', null, [36.71, 98.34, 98.77, 7.45, 8.98, 67.05]),
    profile('RC', null, [37.6, 97.06, 98.67, 7.86, 9.69, 64.66]),
    profile('CR', null, [70.64, 72.63, 74.36, 14.6, 17.91, 34.17]),
    profile('CC', null, [74.55, 74.55, 75.8, 15.25, 18.55, 33.31]),
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
    profile('CC', 4, [38.76, 38.78, 39.03, 9.34, 14.78, 5660], [33.33, 33.33, 16]),
    profile('CC', 8, [60.31, 60.31, 61.45, 21.88, 26.46, 1490], [66.67, 66.73, 32]),
    profile('CC', 16, [75.05, 75.05, 76.07, 15.55, 18.86, 1140], [100, 99.93, 48]),
    profile('CC', 32, [60.98, 60.98, 61.27, 6.92, 8.45, 1260], [66.67, 66.6, 32]),
  ],
};

/** The report's end product: CC with constant-sized memory and one comparison fewer. */
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
