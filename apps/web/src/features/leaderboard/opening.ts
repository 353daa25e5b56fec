/** Which problem a view opens on where the address names none. */
import {
  bestOfEach,
  bestOfKernels,
  type DeviceClass,
  type HeatMap,
  type Profile,
  type ReferenceFigure,
} from '@tilemark/core';
import type { Store } from '@tilemark/core/server';
import { opOf, type Problem, shapeText, volume } from '@tilemark/kernels';
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
export const openingShape = (
  figures: readonly ReferenceFigure[],
  profile: Profile,
): string | null =>
  mostShape(figures, (about) => {
    const beside = bestOfEach(about, profile).filter(({ by }) => by.kind !== 'report');
    return bestOfKernels(about, profile).size && beside.length;
  });

/** The problem with most kernels among the figures of reference, the largest of those. */
export const wideShape = (figures: readonly ReferenceFigure[], profile: Profile): string | null =>
  mostShape(figures, (about) => kernelsOf(about, profile));

const kernelsOf = (about: readonly ReferenceFigure[], profile: Profile): number =>
  new Set([...bestOfKernels(about, profile).values()].flat().map(({ by }) => keyOf(by))).size;

const keyOf = (by: ReferenceFigure['by']) => (by.kind === 'library' ? by.name : by.kernel);

/**
 * Where a heat map opens instead of on a problem with a single kernel: the one on which devices of
 * the same class have most, the largest of those; null if that is the same.
 *
 * @param figures of reference on every problem, if the map shows any
 */
export async function widerShape(
  store: Store,
  { methodology, problem, profile, rows }: HeatMap,
  figures: readonly ReferenceFigure[],
): Promise<{ readonly shape: string; readonly classes: readonly DeviceClass[] } | null> {
  if (!problem) return null;
  const { op, dtype } = problem;
  const beside = figures.filter((each) => isSame(each.problem, problem));
  const best = [...bestOfKernels(beside, profile).values()].flat();
  const kernels = new Set([
    ...rows.flatMap(({ cells }) => cells.map(({ kernel }) => kernel)),
    ...best.map(({ by }) => keyOf(by)),
  ]);
  if (kernels.size !== 1) return null;
  const classes = new Set([
    ...rows.map(({ device }) => device.class),
    ...best.map((figure) => figure.class),
  ]);
  const ofDevices = await store.compared({
    op,
    dtype,
    profile,
    methodology,
    classes: [...classes],
  });
  const alike = figures.filter((figure) => classes.has(figure.class));
  const ofReference = [...group(alike, (each) => shapeText(each.problem)).values()].flatMap(
    (about) =>
      about[0] ? [{ problem: about[0].problem, kernels: kernelsOf(about, profile) }] : [],
  );
  const size = (of: Problem) => opOf(of).bytes(of.shape, of.dtype);
  const [most] = [...ofDevices, ...ofReference].toSorted(
    (a, b) => b.kernels - a.kernels || size(b.problem) - size(a.problem),
  );
  return most && most.kernels > 1
    ? { shape: shapeText(most.problem), classes: [...classes] }
    : null;
}

function mostShape(
  figures: readonly ReferenceFigure[],
  countOf: (about: readonly ReferenceFigure[]) => number,
): string | null {
  const problems = [...new Map(figures.map((each) => [shapeText(each.problem), each.problem]))];
  const rated = problems.map(([shape, of]) => ({
    shape,
    count: countOf(figures.filter((each) => isSame(each.problem, of))),
    bytes: opOf(of).bytes(of.shape, of.dtype),
  }));
  const [best] = rated.toSorted((a, b) => b.count - a.count || b.bytes - a.bytes);
  return best && best.count > 0 ? best.shape : null;
}
