import type { Problem, Variant } from '@tilemark/kernels';
import type { Published, PublishedFigure } from '../../view/suite';

/** Who published the figures. Titles are ours: reports are named after their subject. */
export type PublishedSource = Pick<Published['source'], 'id' | 'title' | 'language'> & {
  readonly date?: string;
  readonly note?: string;
};

/** One figure of a report, with the variant and the problem it is the time of, as printed. */
export interface PublishedResult extends Pick<PublishedFigure, 'label' | 'runtime' | 'timeMs'> {
  /** Tunables left out have the kernel's defaults. */
  readonly variant: Variant;
  readonly problem: Problem;
  readonly note?: string;
}

/** What the report's profiler said about one kernel; it slows kernels down. */
export type PublishedProfile = Published['profiles'][number];

/**
 * The figures of a report that a suite reproduces. They are other people's, shown beside our
 * own measurements and never ranked with them.
 */
export interface PublishedTable {
  readonly source: PublishedSource;
  /** Null if the source does not say. */
  readonly hardware: Published['hardware'];
  readonly results: readonly PublishedResult[];
  /** Copies of both inputs to the device and of the output back. */
  readonly transfers?: Published['transfers'];
  readonly profiles?: readonly PublishedProfile[];
}

/** The source does not name its hardware. */
export const UNKNOWN_HARDWARE: Published['hardware'] = { gpu: null, cpu: null };

/** A product of square matrices. */
export const squareMatmul = (n: number, dtype: Problem['dtype']): Problem => ({
  op: 'matmul',
  shape: { m: n, n, k: n },
  dtype,
});
