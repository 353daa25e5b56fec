import {
  type Dtype,
  type GpuKernel,
  type Needs,
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
  /** Output elements that each thread works on. */
  readonly elementsPerThread: number;
  /** Threads that share each of those, along K or, in a subgroup that multiplies matrices, as one. */
  readonly sharing: { readonly threads: number; readonly as: 'sums' | 'subgroup' };
  readonly workgroupBytes: number;
}

/** Larger than any tile, and a multiple of each: of powers of two, of 3, 5, 6, 7 and 12. */
const SIDE = 8192 * 3 * 5 * 7;

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
  const needs = kernel.needs(values, dtype);
  const { workgroupBytes, workgroupSize } = needs;
  const threads = workgroupSize.reduce((product, side) => product * side, 1);
  const sharing = sharingOf(kernel, values, needs);
  const elementsPerThread = (rows * cols * sharing.threads) / threads;
  return { rows, cols, threads, elementsPerThread, sharing, workgroupBytes };
}

function sharingOf(
  kernel: GpuKernel,
  values: TunableValues,
  { features, subgroupSize = 1 }: Needs,
): Tile['sharing'] {
  return features.includes('chromium-experimental-subgroup-matrix')
    ? { threads: subgroupSize, as: 'subgroup' }
    : { threads: kernel.threadsPerSum?.(values) ?? 1, as: 'sums' };
}

/** A problem whose tiled tensor has these rows and columns. */
const problemOf = (op: OpId, rows: number, cols: number, dtype: Dtype): Problem =>
  ({ op, shape: opById(op).tiled(rows, cols), dtype }) as Problem;
