import { freivaldsVectors } from '../freivalds';
import { type InputChoice, inputBlock } from '../inputs';
import type { Rows, Tensor } from '../kernel';
import type { MatmulProblem } from '../problem';
import { splitRows } from '../rows';
import { columnNorms, referenceRows, rowNorms, timesVectors } from './reference';

/**
 * What a product too large for the O(n^3) reference is compared with: all that follows
 * from its inputs, a few vectors of their length.
 */
export interface LargeReference {
  readonly problem: MatmulProblem;
  /** 2-norms of the rows of A and of the columns of B. */
  readonly aNorms: Float64Array;
  readonly bNorms: Float64Array;
  /** Rows and columns of C that are compared element by element. */
  readonly rows: readonly number[];
  readonly cols: readonly number[];
  readonly edgeRows: readonly Float64Array[];
  readonly edgeColumns: readonly Float64Array[];
  /** Those columns of B. */
  readonly bColumns: readonly Float64Array[];
  /** The vectors of Freivalds' check, B r and A (B r). */
  readonly r: readonly Float64Array[];
  readonly br: readonly Float64Array[];
  readonly abr: readonly Float64Array[];
}

/** The reference of these inputs, made by the calling thread. */
export function largeReference(problem: MatmulProblem, a: Tensor, b: Tensor): LargeReference {
  const { m, n, k } = problem.shape;
  const reference = allocate(problem, (bytes) => new ArrayBuffer(bytes));
  followColumnsOfB(reference, a, reference.rows, b, { first: 0, end: n });
  followRowsOfB(reference, b, { first: 0, end: k });
  followRowsOfA(reference, a, { first: 0, end: m });
  return reference;
}

/** A reference in memory that threads share, for `LARGE_STAGES` to make. */
export function allocateShared(problem: MatmulProblem): LargeReference {
  return allocate(problem, (bytes) => new SharedArrayBuffer(bytes));
}

/** One of the nearly equal parts that a stage is shared out in. */
export interface Part {
  readonly index: number;
  readonly count: number;
}

type Stage = (reference: LargeReference, choice: InputChoice, part: Part) => void;

/**
 * What makes a shared reference of generated inputs, in this order: each needs the whole
 * of the one before. A part makes the rows and columns of the inputs that it needs, and
 * nobody keeps them; all parts of a stage together hold B twice for as long as it lasts. The parts of a stage write different elements, and
 * every sum is added in the order in which `largeReference` adds it.
 */
export const LARGE_STAGES: readonly Stage[] = [
  (reference, choice, part) => {
    const { problem, rows } = reference;
    const { n, k } = problem.shape;
    const edgeRowsOfA = inputBlock(problem, choice, 0, rows, { first: 0, end: k });
    const cols = partOf(n, part);
    const columns = inputBlock(problem, choice, 1, indices({ first: 0, end: k }), cols);
    followColumnsOfB(reference, edgeRowsOfA, [...rows.keys()], columns, cols);
    const steps = partOf(k, part);
    const rowsOfB = inputBlock(problem, choice, 1, indices(steps), { first: 0, end: n });
    followRowsOfB(reference, rowsOfB, steps);
  },
  (reference, choice, part) => {
    const { problem } = reference;
    const { m, k } = problem.shape;
    const rows = partOf(m, part);
    const rowsOfA = inputBlock(problem, choice, 0, indices(rows), { first: 0, end: k });
    followRowsOfA(reference, rowsOfA, rows);
  },
];

function allocate(
  problem: MatmulProblem,
  buffer: (bytes: number) => ArrayBufferLike,
): LargeReference {
  const { m, n, k } = problem.shape;
  const vector = (length: number) => new Float64Array(buffer(8 * length));
  const rows = edges(m);
  const cols = edges(n);
  const r = freivaldsVectors(problem.shape);
  return {
    problem,
    aNorms: vector(m),
    bNorms: vector(n),
    rows,
    cols,
    edgeRows: rows.map(() => vector(n)),
    edgeColumns: cols.map(() => vector(m)),
    bColumns: cols.map(() => vector(k)),
    r,
    br: r.map(() => vector(k)),
    abr: r.map(() => vector(m)),
  };
}

/** From the columns `cols` of B, k x cols: their norms, and the edge rows of C, which are `rows` of `a`. */
function followColumnsOfB(
  { problem, bNorms, edgeRows }: LargeReference,
  a: Tensor,
  rows: readonly number[],
  columns: Tensor,
  { first, end }: Rows,
): void {
  const shape = { ...problem.shape, n: end - first };
  const sums = edgeRows.map((row) => row.subarray(first, end));
  referenceRows(shape, a, columns, rows, sums);
  columnNorms(shape, columns, bNorms.subarray(first, end));
}

/** From the rows `steps` of B, steps x n: the elements there of its edge columns and of B r. */
function followRowsOfB(
  { problem, cols, bColumns, r, br }: LargeReference,
  rowsOfB: Tensor,
  { first, end }: Rows,
): void {
  const { n } = problem.shape;
  for (const [index, col] of cols.entries()) {
    const column = bColumns[index];
    for (let p = first; column && p < end; p++)
      column[p] = rowsOfB[(p - first) * n + col] as number;
  }
  const products = br.map((vector) => vector.subarray(first, end));
  timesVectors(rowsOfB, end - first, n, r, products);
}

/** From the rows `rows` of A, rows x k: their norms, and the elements there of C's edge columns and of A (B r). */
function followRowsOfA(
  { problem, aNorms, bColumns, br, edgeColumns, abr }: LargeReference,
  rowsOfA: Tensor,
  { first, end }: Rows,
): void {
  const shape = { ...problem.shape, m: end - first };
  const products = [...edgeColumns, ...abr].map((vector) => vector.subarray(first, end));
  timesVectors(rowsOfA, shape.m, shape.k, [...bColumns, ...br], products);
  rowNorms(shape, rowsOfA, aNorms.subarray(first, end));
}

/** The elements of `length` that are a part's: none where there are fewer elements than parts. */
function partOf(length: number, { index, count }: Part): Rows {
  return splitRows(length, count)[index] ?? { first: length, end: length };
}

function indices({ first, end }: Rows): number[] {
  return Array.from({ length: end - first }, (_, index) => first + index);
}

/** First and last indices of the tiles in use (16 to 128 wide), the middle and the end. */
function edges(length: number): number[] {
  const wanted = [0, 15, 16, 63, 64, 127, 128, length >> 1, length - 1];
  return [...new Set(wanted)].filter((index) => index >= 0 && index < length);
}
