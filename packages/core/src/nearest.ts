import { opOf, type Problem } from '@tilemark/kernels';

/**
 * A shape this much unlike the asked one (see `shapeDistance`) says little: one dimension
 * four times as large, or three by 2.2 each.
 */
export const LIKE_SHAPE = 2;

/**
 * How unlike the shapes of two problems of one op are: the Euclidean distance of the
 * base-2 logarithms of their dimensions. Twice as large in one dimension is 1.
 */
export function shapeDistance(a: Problem, b: Problem): number {
  const sizes = opOf(b).sizes(b.shape);
  const doublings = opOf(a)
    .sizes(a.shape)
    .map((size, index) => Math.log2(size / (sizes[index] ?? Number.NaN)));
  return Math.hypot(...doublings);
}

/** The problem least unlike `asked`, and how much so; the first where several are; null for none. */
export function nearestProblem(
  asked: Problem,
  measured: readonly Problem[],
): { readonly problem: Problem; readonly distance: number } | null {
  const [nearest = null] = measured
    .map((problem) => ({ problem, distance: shapeDistance(asked, problem) }))
    .toSorted((a, b) => a.distance - b.distance);
  return nearest;
}
