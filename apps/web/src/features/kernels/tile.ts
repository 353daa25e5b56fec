import type { Dtype, GpuKernel, Problem, Shape, TunableValues } from '@tilemark/kernels';

/** The part of the output that one workgroup computes. */
export interface Tile {
  readonly rows: number;
  readonly cols: number;
  readonly threads: number;
  /** Elements of the output that a thread computes, on average. */
  readonly elementsAThread: number;
  readonly workgroupBytes: number;
}

/** Larger than any tile, and a multiple of each. */
const SIDE = 8192;

/**
 * What a workgroup's tile is, from the declaration alone: as many rows as one column of the
 * output takes workgroups, and the other way round. Null where the workgroups do not cut
 * the output into rectangles, as for a copy that runs along memory.
 */
export function tileOf(kernel: GpuKernel, values: TunableValues, dtype: Dtype): Tile | null {
  const groups = (rows: number, cols: number) => {
    const [x, y] = kernel.workgroups(values, outputOf(kernel.op, rows, cols, dtype));
    return x * y;
  };
  const cols = SIDE / groups(1, SIDE);
  const rows = SIDE / groups(SIDE, 1);
  const isWhole = Number.isInteger(rows) && Number.isInteger(cols);
  if (!isWhole || groups(SIDE, SIDE) * rows * cols !== SIDE * SIDE) return null;
  const { workgroupBytes, workgroupSize } = kernel.needs(values, dtype);
  const threads = workgroupSize.reduce((product, side) => product * side, 1);
  return { rows, cols, threads, elementsAThread: (rows * cols) / threads, workgroupBytes };
}

/** A problem whose output, or input for a transpose, has these rows and columns. */
function outputOf(op: GpuKernel['op'], rows: number, cols: number, dtype: Dtype): Problem {
  const shape: Shape = op === 'matmul' ? { m: rows, n: cols, k: SIDE } : { rows, cols };
  return { op, shape, dtype } as Problem;
}
