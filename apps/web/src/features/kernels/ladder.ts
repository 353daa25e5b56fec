import { PROFILES, type Profile } from '@tilemark/core';
import type { Store } from '@tilemark/core/server';
import {
  DTYPES,
  idsOf,
  type OpId,
  type Problem,
  rateOf,
  shapeText,
  volume,
} from '@tilemark/kernels';
import { openingShape } from '@/features/leaderboard/opening';

/** A kernel on a problem, on the device that is fastest there. */
export interface Best {
  readonly problem: Problem;
  readonly rate: number;
  readonly where: string;
  readonly profile: Profile;
  readonly isRanked: boolean;
}

type KernelBest = Best & { readonly kernel: string };

/** More columns than this do not fit beside the ideas and the best rate. */
const MOST_SHAPES = 4;

/**
 * Best rates of an op's kernels: by kernel the highest on any problem, ranked or not; and by
 * `kernel shape`, on the problem that boards open on and the shapes that most kernels have: f32,
 * under `default`, or under another profile where a kernel has results under that alone.
 */
export async function ladderOf(store: Store, op: OpId) {
  const [gridBests, lists] = await Promise.all([
    bestsOf(store, op),
    Promise.all(idsOf(DTYPES).map((dtype) => store.references.list({ op, dtype }))),
  ]);
  const figures = lists.flat();
  const all = [...gridBests, ...(await figureBestsOf(store, figures, gridBests))];
  const bests = new Map<string, Best>();
  const sizes = new Map<string, { volume: number; kernels: number }>();
  for (const { kernel, problem, ...rest } of all) {
    if (problem.dtype !== 'f32') continue;
    const best = { problem, ...rest };
    const shape = shapeText(problem);
    const key = `${kernel} ${shape}`;
    const known = bests.get(key);
    const size = sizes.get(shape) ?? { volume: volume(problem), kernels: 0 };
    if (!known) sizes.set(shape, { ...size, kernels: size.kernels + 1 });
    if (!known || isBefore(best, known)) bests.set(key, best);
  }
  const opening = openingShape(
    figures.filter(({ problem }) => problem.dtype === 'f32'),
    PROFILES[0],
  );
  const isFirst = (shape: string) => Number(shape === opening);
  const shapes = [...sizes]
    .toSorted(
      ([one, a], [other, b]) =>
        isFirst(other) - isFirst(one) || b.kernels - a.kernels || b.volume - a.volume,
    )
    .slice(0, MOST_SHAPES)
    .toSorted(([, a], [, b]) => a.volume - b.volume)
    .map(([shape]) => shape);
  const slowestFirst = all.toSorted((a, b) => a.rate - b.rate);
  const fastest = new Map(
    slowestFirst.map(({ kernel, ...best }): [string, Best] => [kernel, best]),
  );
  return { op, shapes, bests, fastest };
}

/** Whether a rate takes the place of another of the same kernel and problem. */
function isBefore(a: Best, b: Best): boolean {
  const order = ({ profile }: Best) => PROFILES.indexOf(profile);
  return order(a) < order(b) || (order(a) === order(b) && a.rate > b.rate);
}

/** The grid's own bests of an op's kernels on each problem. */
const bestsOf = async (store: Store, op: OpId): Promise<KernelBest[]> =>
  (await store.kernelBests())
    .filter(({ problem }) => problem.op === op)
    .map(({ device, isImported, kernel, medianNs, problem, profile, unranked }) => ({
      kernel,
      problem,
      profile,
      isRanked: unranked === null,
      rate: rateOf(problem, medianNs).value,
      where: isImported ? `${device}, imported` : device,
    }));

/** Figures of reference of kernels, without those that a file has brought to the grid's own bests. */
async function figureBestsOf(
  store: Store,
  figures: Awaited<ReturnType<Store['references']['list']>>,
  gridBests: readonly KernelBest[],
): Promise<KernelBest[]> {
  const results = await store.references.resultsOf(figures);
  const keyOf = ({
    kernel,
    problem,
    profile,
  }: Pick<KernelBest, 'kernel' | 'problem' | 'profile'>) =>
    [kernel, shapeText(problem), problem.dtype, profile].join();
  const owned = new Set(gridBests.map(keyOf));
  return figures.flatMap((figure) => {
    const { by, hardware, problem, profile, rate, unranked } = figure;
    // A report's kernel is an idea of ours, not our code: it has no profile.
    if (by.kind !== 'kernel' || profile === null) return [];
    const { kernel } = by;
    const result = results.get(figure);
    // The grid's own bests are up to 30 s old.
    if (result && owned.has(keyOf({ kernel, problem, profile }))) return [];
    const where = `${hardware ?? 'not named'}, ${result ? 'imported' : 'reference'}`;
    const isRanked = (result?.unranked ?? unranked) === null;
    return [{ kernel, problem, profile, isRanked, rate: rate.value, where }];
  });
}
