import type { Tensor } from '../dtype';
import { hash32, type Part, type Rows, splitRows } from '../numbers';
import type { Comparison } from '../verify/compare';
import { freivaldsResiduals, freivaldsVectors } from '../verify/freivalds';
import type {
  CheckOptions,
  InputBlock,
  OutputCheck,
  SharedVerification,
} from '../verify/verification';
import { NormBounds } from './bound';
import type { MatmulShape } from './op';
import { columnNorms, referenceRow, referenceRows, rowNorms, timesVectors } from './reference';
import { canCompareWhole, factors } from './verify';

/**
 * What a product too large for the O(n^3) reference is compared with: a few vectors derived from
 * its inputs.
 */
export interface LargeReference {
  readonly shape: MatmulShape;
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

/** The reference for these inputs, computed by the calling thread. */
function largeReference(
  shape: MatmulShape,
  [a, b]: readonly [Tensor, Tensor],
  options: CheckOptions,
): LargeReference {
  const { m, n, k } = shape;
  const reference = allocate(shape, options, (bytes) => new ArrayBuffer(bytes));
  followColumnsOfB(reference, a, reference.rows, b, { first: 0, end: n });
  followRowsOfB(reference, b, { first: 0, end: k });
  followRowsOfA(reference, a, { first: 0, end: m });
  return reference;
}

/**
 * Input elements that take a thread 0.04 s, where starting and compiling its loops takes 0.1 s (2026):
 * with fewer, another thread occupies a core and saves nothing.
 */
const ELEMENTS_PER_THREAD = 2 ** 21;

/**
 * A large reference of generated inputs, computed by threads in shared memory; the second stage
 * needs the complete first one. Each part generates the rows and columns of the inputs it needs and
 * discards them; during a stage, all parts together keep two copies of B. Every sum is added in the
 * same order as in `largeReference`.
 */
export const sharedVerification: SharedVerification<MatmulShape, LargeReference> = {
  // The products of a batch are small: the calling thread checks one after the other.
  threads: (shape) => {
    const { b = 1, m, n, k } = shape;
    if (b > 1 || canCompareWhole(shape)) return 0;
    return Math.floor((m * k + k * n) / ELEMENTS_PER_THREAD);
  },
  allocate: (shape, options) => allocate(shape, options, (bytes) => new SharedArrayBuffer(bytes)),
  stages: 2,
  makePart: (stage, reference, block, part) =>
    stage === 0 ? makeFromB(reference, block, part) : makeFromA(reference, block, part),
  check: checkLarge,
};

function makeFromB(reference: LargeReference, block: InputBlock, part: Part): void {
  const { rows } = reference;
  const { n, k } = reference.shape;
  const edgeRowsOfA = block(0, rows, { first: 0, end: k });
  const cols = partOf(n, part);
  const columns = block(1, indices({ first: 0, end: k }), cols);
  followColumnsOfB(reference, edgeRowsOfA, [...rows.keys()], columns, cols);
  const steps = partOf(k, part);
  followRowsOfB(reference, block(1, indices(steps), { first: 0, end: n }), steps);
}

function makeFromA(reference: LargeReference, block: InputBlock, part: Part): void {
  const { m, k } = reference.shape;
  const rows = partOf(m, part);
  followRowsOfA(reference, block(0, indices(rows), { first: 0, end: k }), rows);
}

/**
 * Checks C without the O(n^3) reference: entire rows and columns, at the edges of tiles and at
 * secret places, then Freivalds over all rows with secret vectors. The worst row that fails is
 * compared element by element, which finds the element to name.
 */
export function compareLarge(
  shape: MatmulShape,
  inputs: readonly Tensor[],
  options: CheckOptions,
): OutputCheck {
  return checkLarge(largeReference(shape, factors(inputs), options), () => inputs, options);
}

/** @param inputs returns A and B; called only if a row fails */
function checkLarge(
  reference: LargeReference,
  inputs: () => readonly Tensor[],
  { rounding, errorGrowth }: CheckOptions,
): OutputCheck {
  const { shape, aNorms, bNorms } = reference;
  const bounds = new NormBounds(shape, rounding, aNorms, bNorms, errorGrowth);
  return (output) => ({
    method: 'freivalds',
    ...compareWithReference(output, reference, bounds, inputs),
  });
}

function allocate(
  shape: MatmulShape,
  { secret, rounding }: Pick<CheckOptions, 'secret' | 'rounding'>,
  buffer: (bytes: number) => ArrayBufferLike,
): LargeReference {
  const { m, n, k } = shape;
  const vector = (length: number) => new Float64Array(buffer(8 * length));
  const rows = places(m, hash32(secret + 1));
  const cols = places(n, hash32(secret + 2));
  const r = freivaldsVectors(n, hash32(secret), rounding.sumRoundoff === 0);
  return {
    shape,
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

/** From some columns of B (k x cols): their norms, and these columns of C's edge rows (`rows` of `a`). */
function followColumnsOfB(
  { shape, bNorms, edgeRows }: LargeReference,
  a: Tensor,
  rows: readonly number[],
  columns: Tensor,
  { first, end }: Rows,
): void {
  const part = { ...shape, n: end - first };
  const sums = edgeRows.map((row) => row.subarray(first, end));
  referenceRows(part, a, columns, rows, sums);
  columnNorms(part, columns, bNorms.subarray(first, end));
}

/** From some rows of B: their elements of the edge columns and of B r. */
function followRowsOfB(
  { shape, cols, bColumns, r, br }: LargeReference,
  rowsOfB: Tensor,
  { first, end }: Rows,
): void {
  const { n } = shape;
  for (const [index, col] of cols.entries()) {
    const column = bColumns[index];
    for (let p = first; column && p < end; p++)
      column[p] = rowsOfB[(p - first) * n + col] as number;
  }
  const products = br.map((vector) => vector.subarray(first, end));
  timesVectors(rowsOfB, end - first, n, r, products);
}

/** From some rows of A: their norms, and their elements of C's edge columns and of A (B r). */
function followRowsOfA(
  { shape, aNorms, bColumns, br, edgeColumns, abr }: LargeReference,
  rowsOfA: Tensor,
  { first, end }: Rows,
): void {
  const part = { ...shape, m: end - first };
  const products = [...edgeColumns, ...abr].map((vector) => vector.subarray(first, end));
  timesVectors(rowsOfA, part.m, part.k, [...bColumns, ...br], products);
  rowNorms(part, rowsOfA, aNorms.subarray(first, end));
}

/** A part's share of `length` elements: empty if there are fewer elements than parts. */
function partOf(length: number, { index, count }: Part): Rows {
  return splitRows(length, count)[index] ?? { first: length, end: length };
}

function indices({ first, end }: Rows): number[] {
  return Array.from({ length: end - first }, (_, index) => first + index);
}

/** First and last indices of common tiles (16 to 128 wide), the middle, the end, and three secret ones. */
function places(length: number, secret: number): number[] {
  const edges = [0, 15, 16, 63, 64, 127, 128, length >> 1, length - 1];
  const wanted = [...edges, ...[0, 1, 2].map((each) => hash32(secret + each) % length)];
  return [...new Set(wanted)].filter((index) => index >= 0 && index < length);
}

function compareWithReference(
  c: Tensor,
  reference: LargeReference,
  bounds: NormBounds,
  inputs: () => readonly Tensor[],
): Comparison {
  const { shape } = reference;
  const sampled = compareEdges(c, reference, bounds);
  if (sampled.worst) return sampled;

  const { worstRow, suspects, worstRatio } = suspiciousRows(c, reference, bounds);
  const whole = { ...sampled, checked: shape.m };
  if (worstRow === null) {
    return { ...whole, worstRatio: Math.max(worstRatio, sampled.worstRatio) };
  }
  const held = factors(inputs());
  const suspect = bounds.tally();
  bounds.compareRow(c, worstRow, referenceRow(shape, ...held, worstRow), suspect);
  const result = suspect.result();
  if (result.beyond > 0) return { ...result, checked: shape.m };
  // Rounding alone leaves a row's sum of errors within its bound.
  const reason = `less precise than its dtype: in ${suspects} of ${shape.m} rows the errors add up to more than rounding can`;
  return { ...whole, worstRatio, worst: suspect.worstElement(), reason };
}

function compareEdges(
  c: Tensor,
  { shape, rows, edgeRows, cols, edgeColumns }: LargeReference,
  bounds: NormBounds,
): Comparison {
  const tally = bounds.tally();
  for (const [index, row] of rows.entries()) {
    bounds.compareRow(c, row, edgeRows[index] as Float64Array, tally);
  }
  for (const [index, col] of cols.entries()) {
    const want = edgeColumns[index] as Float64Array;
    for (let row = 0; row < shape.m; row++) {
      bounds.compare(c, row, col, want[row] as number, tally);
    }
  }
  return tally.result();
}

/** The row whose Freivalds residual is the farthest above its bound; null if none is above. */
function suspiciousRows(
  c: Tensor,
  { shape, r, abr }: LargeReference,
  bounds: NormBounds,
): { worstRow: number | null; suspects: number; worstRatio: number } {
  const residuals = freivaldsResiduals(timesVectors(c, shape.m, shape.n, r), abr);
  let worstRow: number | null = null;
  let suspects = 0;
  let worstRatio = 0;
  for (const [row, residual] of residuals.entries()) {
    const found = bounds.residualRatio(row, residual);
    const ratio = Number.isNaN(found) ? Number.POSITIVE_INFINITY : found;
    if (ratio > 1) {
      suspects++;
      if (worstRow === null || ratio > worstRatio) worstRow = row;
    }
    worstRatio = Math.max(worstRatio, ratio);
  }
  return { worstRow, suspects, worstRatio };
}
