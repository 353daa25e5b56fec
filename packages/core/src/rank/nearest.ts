import { opOf, type Problem } from '@tilemark/kernels';
import { least } from 'd3-array';

/**
 * How different the shapes of two problems of one op are: the Euclidean distance between the
 * base-2 logarithms of their dimensions. Twice as large in one dimension is 1.
 */
export function shapeDistance(a: Problem, b: Problem): number {
  const sizes = opOf(b).sizes(b.shape);
  const doublings = opOf(a)
    .sizes(a.shape)
    .map((size, index) => Math.log2(size / (sizes[index] ?? Number.NaN)));
  return Math.hypot(...doublings);
}

/** The measured problem nearest to `asked`, with its distance; the first of several; null for none. */
export function nearestProblem(
  target: Problem,
  measured: readonly Problem[],
): { readonly problem: Problem; readonly distance: number } | null {
  const distances = measured.map((problem) => ({
    problem,
    distance: shapeDistance(target, problem),
  }));
  return least(distances, ({ distance }) => distance) ?? null;
}
