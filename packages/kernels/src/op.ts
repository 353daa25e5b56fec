import type { Dtype } from './dtype';
import type { OpId, Problem, Shape } from './problem';

/** Rows and columns of one row-major tensor. */
export interface TensorDims {
  readonly rows: number;
  readonly cols: number;
}

export type RateUnit = 'GFLOP/s' | 'GB/s';

/**
 * An operation, apart from any way of computing it. Work is declared here, once,
 * so that every kernel's rate is derived from the same numbers.
 *
 * The members are methods, so an op may take its own shape where `Shape` stands
 * (TypeScript compares method parameters both ways); `opOf` in ops.ts pairs op and problem.
 */
export interface Op {
  readonly id: OpId;
  readonly title: string;
  /** Names of the dimensions in the order they are written: `MxNxK`. */
  readonly dimensions: readonly string[];
  readonly rateUnit: RateUnit;
  /** The dimensions' sizes in the same order. */
  sizes(shape: Shape): readonly number[];
  /** The shape of these sizes; the reverse of `sizes`. */
  shape(sizes: readonly number[]): Shape;
  inputs(shape: Shape): readonly TensorDims[];
  output(shape: Shape): TensorDims;
  /** Floating-point (or integer) operations of one run. */
  flops(shape: Shape): number;
  /** Bytes of one run when every input is read once and the output written once. */
  bytes(shape: Shape, dtype: Dtype): number;
  /** The problem's rate at `ns` a run, in `rateUnit`. Higher is better. */
  rate(problem: Problem, ns: number): number;
}

/** Elements of a tensor. */
export function elements({ rows, cols }: TensorDims): number {
  return rows * cols;
}
