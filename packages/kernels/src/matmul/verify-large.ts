import { type Comparison, Tally } from '../compare';
import { freivaldsResiduals } from '../freivalds';
import type { Tensor } from '../kernel';
import type { LargeReference } from './large';
import type { NormBounds } from './norm-bounds';
import { referenceRow } from './reference';

/**
 * Checks C without the O(n^3) reference: whole rows and columns where tiles
 * begin and end, then Freivalds over all rows. A row that fails it is compared
 * element by element: that decides, and names the element.
 *
 * @param inputs A and B, asked for only where a row fails
 */
export function compareLarge(
  c: Tensor,
  reference: LargeReference,
  bounds: NormBounds,
  inputs: () => readonly [Tensor, Tensor],
): Comparison {
  const { shape } = reference.problem;
  const sampled = compareEdges(c, reference, bounds);
  if (sampled.worst) return sampled;

  const { suspects, worstRatio } = suspiciousRows(c, reference, bounds);
  let held: readonly [Tensor, Tensor] | null = null;
  for (const row of suspects) {
    held ??= inputs();
    const suspect = new Tally();
    bounds.compareRow(c, row, referenceRow(shape, ...held, row), suspect);
    const result = suspect.result();
    if (result.worst) return { ...result, checked: shape.m };
  }
  // Rows that the exact comparison cleared count as within their bound.
  return {
    checked: shape.m,
    worstRatio: Math.min(1, Math.max(worstRatio, sampled.worstRatio)),
    worst: null,
  };
}

function compareEdges(
  c: Tensor,
  { problem, rows, edgeRows, cols, edgeColumns }: LargeReference,
  bounds: NormBounds,
): Comparison {
  const tally = new Tally();
  for (const [index, row] of rows.entries()) {
    bounds.compareRow(c, row, edgeRows[index] as Float64Array, tally);
  }
  for (const [index, col] of cols.entries()) {
    const want = edgeColumns[index] as Float64Array;
    for (let row = 0; row < problem.shape.m; row++) {
      bounds.compare(c, row, col, want[row] as number, tally);
    }
  }
  return tally.result();
}

/** Rows whose Freivalds residual is above its bound, worst first. */
function suspiciousRows(
  c: Tensor,
  { problem, r, abr }: LargeReference,
  bounds: NormBounds,
): { suspects: number[]; worstRatio: number } {
  const residuals = freivaldsResiduals(problem.shape, c, r, abr);
  const ratios = residuals.map((residual, row) => bounds.residualRatio(row, residual));
  const suspects = [...ratios.keys()].filter((row) => !((ratios[row] as number) <= 1));
  const rank = (row: number) => {
    const ratio = ratios[row] as number;
    return Number.isNaN(ratio) ? Number.POSITIVE_INFINITY : ratio;
  };
  suspects.sort((x, y) => (rank(x) === rank(y) ? x - y : rank(y) - rank(x)));
  return { suspects, worstRatio: ratios.reduce((worst, ratio) => Math.max(worst, ratio), 0) };
}
