import type { Tensor } from '../scalar';
import type { CheckOptions, OutputCheck } from '../verify/verification';
import { NormBounds } from './bound';
import type { MatmulShape } from './op';
import { columnNorms, referenceRow, rowNorms } from './reference';

/** Multiply-adds of the f64 reference: about 0.1 s on one core (2026). */
const WHOLE_LIMIT = 2 ** 25;

/** The same of one of many checks: a few milliseconds. */
const HURRIED_LIMIT = 2 ** 20;

/** Most elements (8 bytes each) of a reference worth keeping: larger ones have a short K, so are cheap. */
const KEPT_ELEMENTS = 2 ** 20;

/** A side that is shorter leaves no more to multiply than the sample of rows and columns does. */
const SHORT_SIDE = 12;

/** Whether the O(n^3) reference is quick enough to compare every element. */
export function canCompareWhole({ b = 1, m, n, k }: MatmulShape, isHurried = false): boolean {
  const limit = isHurried ? HURRIED_LIMIT : WHOLE_LIMIT;
  return Math.min(m, n, k) <= SHORT_SIDE || b * m * n * k <= limit;
}

/** A and B of a product, and its bias if it has one. Throws TypeError if A or B is missing. */
export function factors(
  inputs: readonly Tensor[],
): readonly [a: Tensor, b: Tensor, bias: Tensor | undefined] {
  const [a, b, bias] = inputs;
  if (!a || !b) throw new TypeError('matmul takes two inputs');
  return [a, b, bias];
}

/**
 * Compares every element of C with the f64 reference. Rows of the reference are computed when first
 * needed and, if it is small, kept: a second product of the same inputs then costs little.
 */
export function compareWhole(
  shape: MatmulShape,
  inputs: readonly Tensor[],
  { finish, rounding, errorGrowth }: CheckOptions,
): OutputCheck {
  const [a, b, bias] = factors(inputs);
  const bounds = new NormBounds(
    shape,
    rounding,
    rowNorms(shape, a),
    columnNorms(shape, b),
    errorGrowth,
  );
  const isSmall = shape.m * shape.n <= KEPT_ELEMENTS;
  const rows = new Map<number, Float64Array>();
  const rowOf = (row: number) => {
    const known = rows.get(row);
    if (known) return known;
    const sums = referenceRow(shape, a, b, row);
    const want = finish ? sums.map((sum, col) => finish(sum, bias?.[col] ?? 0)) : sums;
    if (isSmall) rows.set(row, want);
    return want;
  };
  return (c) => {
    const tally = bounds.tally();
    for (let row = 0; row < shape.m; row++) bounds.compareRow(c, row, rowOf(row), tally);
    return { method: rounding.sumRoundoff === 0 ? 'exact' : 'whole', ...tally.result() };
  };
}
