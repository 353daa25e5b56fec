import { hash32 } from '../numbers';
import type { Tensor } from '../scalar';
import type { Comparison } from '../verify/compare';
import { freivaldsResiduals, freivaldsVectors } from '../verify/freivalds';
import type { CheckOptions, OutputCheck } from '../verify/verification';
import { NormBounds } from './bound';
import type { MatmulShape } from './op';
import { columnNorms, referenceRow, referenceRows, rowNorms, timesVectors } from './reference';
import { factors } from './verify';

/**
 * What a product too large for the O(n^3) reference is compared with: a few vectors derived from
 * its inputs.
 */
interface LargeReference {
  readonly shape: MatmulShape;
  /** 2-norms of the rows of A and of the columns of B. */
  readonly aNorms: Float64Array;
  readonly bNorms: Float64Array;
  /** Rows and columns of C that are compared element by element. */
  readonly rows: readonly number[];
  readonly cols: readonly number[];
  readonly edgeRows: readonly Float64Array[];
  readonly edgeColumns: readonly Float64Array[];
  /** The vectors of Freivalds' check, and A (B r). */
  readonly r: readonly Float64Array[];
  readonly abr: readonly Float64Array[];
}

function largeReference(
  shape: MatmulShape,
  a: Tensor,
  b: Tensor,
  { secret, rounding }: CheckOptions,
): LargeReference {
  const { m, n, k } = shape;
  const rows = places(m, hash32(secret + 1));
  const cols = places(n, hash32(secret + 2));
  const r = freivaldsVectors(n, hash32(secret), rounding.sumRoundoff === 0);
  const bColumns = cols.map((col) =>
    Float64Array.from({ length: k }, (_, p) => b[p * n + col] as number),
  );
  const products = timesVectors(a, m, k, [...bColumns, ...timesVectors(b, k, n, r)]);
  return {
    shape,
    aNorms: rowNorms(shape, a),
    bNorms: columnNorms(shape, b),
    rows,
    cols,
    edgeRows: referenceRows(shape, a, b, rows),
    edgeColumns: products.slice(0, cols.length),
    r,
    abr: products.slice(cols.length),
  };
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
  const [a, b] = factors(inputs);
  const reference = largeReference(shape, a, b, options);
  const { aNorms, bNorms } = reference;
  const bounds = new NormBounds(shape, options.rounding, aNorms, bNorms, options.errorGrowth);
  return (c) => {
    const sampled = compareEdges(c, reference, bounds);
    if (sampled.worst) return { method: 'freivalds', ...sampled };

    const { worstRow, suspects, worstRatio } = suspiciousRows(c, reference, bounds);
    const whole = { method: 'freivalds', ...sampled, checked: shape.m } as const;
    if (worstRow === null) {
      return { ...whole, worstRatio: Math.max(worstRatio, sampled.worstRatio) };
    }
    const suspect = bounds.tally();
    bounds.compareRow(c, worstRow, referenceRow(shape, a, b, worstRow), suspect);
    const result = suspect.result();
    if (result.beyond > 0) return { ...whole, ...result, checked: shape.m };
    // Rounding alone leaves a row's sum of errors within its bound.
    const reason = `less precise than its dtype: in ${suspects} of ${shape.m} rows the errors add up to more than rounding can`;
    return { ...whole, worstRatio, worst: suspect.worstElement(), reason };
  };
}

/** First and last indices of common tiles (16 to 128 wide), the middle, the end, and three secret ones. */
function places(length: number, secret: number): number[] {
  const edges = [0, 15, 16, 63, 64, 127, 128, length >> 1, length - 1];
  const wanted = [...edges, ...[0, 1, 2].map((draw) => hash32(secret + draw) % length)];
  return [...new Set(wanted)].filter((index) => index >= 0 && index < length);
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
