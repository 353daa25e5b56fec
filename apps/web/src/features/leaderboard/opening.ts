/** Which problem a view opens on where the address names none. */
import { bestOfEach, bestOfKernels, type Profile, type ReferenceFigure } from '@tilemark/core';
import { opOf, shapeText, volume } from '@tilemark/kernels';
import { group } from 'd3-array';

export const isSame = (a: ReferenceFigure['problem'], b: ReferenceFigure['problem']): boolean =>
  a.op === b.op && a.dtype === b.dtype && shapeText(a) === shapeText(b);

/** The shapes of figures that a board of the profile shows, by work. */
export function shapesOf(figures: readonly ReferenceFigure[], profile: Profile): string[] {
  const shown = figures.filter(
    ({ by, ...each }) => by.kind !== 'kernel' || each.profile === profile,
  );
  const problems = shown.map(({ problem }) => problem).toSorted((a, b) => volume(a) - volume(b));
  return [...new Set(problems.map(shapeText))];
}

/**
 * The problem with most beside a kernel of ours among the figures of reference, the largest of those;
 * the same in every view.
 */
export function openingShape(figures: readonly ReferenceFigure[], profile: Profile): string | null {
  const rated = [...group(figures, ({ problem }) => shapeText(problem))].flatMap(
    ([shape, about]) => {
      const [first] = about;
      if (!first || bestOfKernels(about, profile).size === 0) return [];
      const beside = bestOfEach(about, profile).filter(({ by }) => by.kind !== 'report');
      const bytes = opOf(first.problem).bytes(first.problem.shape, first.problem.dtype);
      return [{ shape, count: beside.length, bytes }];
    },
  );
  const [best] = rated.toSorted((a, b) => b.count - a.count || b.bytes - a.bytes);
  return best?.shape ?? null;
}
