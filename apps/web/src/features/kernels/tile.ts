import {
  type Dtype,
  type GpuKernel,
  type OpId,
  opById,
  type Problem,
  type TunableValues,
} from '@tilemark/kernels';

/** The part of the output that one workgroup computes. */
export interface Tile {
  readonly rows: number;
  readonly cols: number;
  readonly threads: number;
  /** Output elements per thread, on average. */
  readonly elementsPerThread: number;
  readonly workgroupBytes: number;
}

/** Larger than any tile, and a multiple of each. */
const SIDE = 8192;

/**
 * A workgroup's tile, derived from the declaration alone: its rows from the number of
 * workgroups per output column, and its columns likewise. Null if workgroups do not divide the
 * output into rectangles, as in a copy that runs along memory.
 */
export function tileOf(kernel: GpuKernel, values: TunableValues, dtype: Dtype): Tile | null {
  const groups = (rows: number, cols: number) => {
    const [x, y] = kernel.workgroups(values, problemOf(kernel.op, rows, cols, dtype));
    return x * y;
  };
  const cols = SIDE / groups(1, SIDE);
  const rows = SIDE / groups(SIDE, 1);
  const isWhole = Number.isInteger(rows) && Number.isInteger(cols);
  if (!isWhole || groups(SIDE, SIDE) * rows * cols !== SIDE * SIDE) return null;
  const { workgroupBytes, workgroupSize } = kernel.needs(values, dtype);
  const threads = workgroupSize.reduce((product, side) => product * side, 1);
  return { rows, cols, threads, elementsPerThread: (rows * cols) / threads, workgroupBytes };
}

/** How a tile's elements are shared out. Threads that outnumber them also share the sums. */
export const shareText = (elementsPerThread: number): string =>
  elementsPerThread === 1
    ? 'one element per thread'
    : elementsPerThread > 1
      ? `${Number(elementsPerThread.toPrecision(3))} elements per thread`
      : `with ${Number((1 / elementsPerThread).toPrecision(3))} times as many threads as elements`;

/** A problem whose tiled tensor has these rows and columns. */
const problemOf = (op: OpId, rows: number, cols: number, dtype: Dtype): Problem =>
  ({ op, shape: opById(op).tiled(rows, cols), dtype }) as Problem;
