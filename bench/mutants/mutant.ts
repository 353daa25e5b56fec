import type { Epilogue, GpuKernel, Problem } from '@tilemark/kernels';

/** A kernel that is wrong in one way. */
export interface Mutant {
  readonly name: string;
  readonly kernel: GpuKernel;
  /** Samples it takes to show itself; absent: the fewest. */
  readonly samples?: number;
  /** It shows in the time that new inputs take: of a dispatch that takes its time at all. */
  readonly isTimed?: boolean;
  /** What its products are put through; absent: nothing. */
  readonly epilogue?: Epilogue;
  /** Whether it is wrong on a problem: a swap of two rows is not where there is one. */
  readonly isWrongOn: (problem: Problem) => boolean;
}
