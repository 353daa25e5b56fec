import type { Problem, Shape, Variant } from '@tilemark/kernels';

/** Who published figures. Titles are ours: the reports are named by what they are about. */
export interface PublishedSource {
  readonly id: string;
  readonly title: string;
  /** ISO 639-1. */
  readonly language: string;
  /** ISO 8601, where the source gives one. */
  readonly date?: string;
  readonly note?: string;
}

/** What it was measured on; null where the source does not say. */
export interface PublishedHardware {
  readonly gpu: string | null;
  readonly cpu: string | null;
}

/** One figure of a report, with the variant and the problem that it is the time of. */
export interface PublishedResult {
  /** What the report calls the variant. */
  readonly label: string;
  readonly runtime: 'cuda' | 'cpu';
  /** Tunables left out are as the kernel's defaults. */
  readonly variant: Variant;
  readonly problem: Problem;
  /** As printed. */
  readonly timeMs: number;
  readonly note?: string;
}

/** Copies of both inputs to the device and of the output back. */
export interface PublishedTransfer {
  readonly shape: Shape;
  readonly hostToDeviceMs: number;
  readonly deviceToHostMs: number;
}

/** What the report's profiler said of one kernel, in percent of the hardware's peak. */
export interface PublishedProfile {
  readonly label: string;
  /** Threads a side, where the report varies them. */
  readonly block?: number;
  readonly computeThroughputPercent: number;
  readonly memoryThroughputPercent: number;
  readonly l1Percent: number;
  readonly l2Percent: number;
  readonly dramPercent: number;
  /** Under the profiler, which slows kernels down; the report does not say at which size. */
  readonly durationMs: number;
  readonly occupancy?: {
    readonly theoreticalPercent: number;
    readonly achievedPercent: number;
    readonly theoreticalWarpsPerMultiprocessor: number;
  };
}

/**
 * The figures of a report that a suite reproduces. They are facts of others, shown
 * beside our own measurements and never ranked with them.
 */
export interface PublishedTable {
  readonly source: PublishedSource;
  readonly hardware: PublishedHardware;
  readonly results: readonly PublishedResult[];
  readonly transfers?: readonly PublishedTransfer[];
  readonly profiles?: readonly PublishedProfile[];
}

/** The source does not name its hardware. */
export const UNKNOWN_HARDWARE: PublishedHardware = { gpu: null, cpu: null };

/** A product of square matrices. */
export const squareMatmul = (n: number, dtype: Problem['dtype']): Problem => ({
  op: 'matmul',
  shape: { m: n, n, k: n },
  dtype,
});
