import { DEVICE_GROUPS, IMPLAUSIBLE, PROFILES, type Profile } from '@tilemark/core';
import type { Store } from '@tilemark/core/server';
import {
  DTYPES,
  idsOf,
  isCeiling,
  type OpId,
  type opOf,
  type Problem,
  rateOf,
  shapeText,
  volume,
} from '@tilemark/kernels';
import { openingShape } from '@/features/leaderboard/opening';

/** The fastest result of a kernel on a problem, wherever that was. */
export interface Best {
  readonly rate: number;
  readonly where: string;
  readonly profile: Profile;
  /** Null: a figure of reference. */
  readonly resultId: string | null;
  readonly isRanked: boolean;
}

/** The fastest of a kernel on any problem, and that problem. */
export interface Fastest extends Best {
  readonly problem: Problem;
}

/** More columns than this do not fit beside the ideas and the best rate. */
const MOST_SHAPES = 4;

/** The heat maps of a profile on the shapes that most devices have. Every class of device counts. */
async function mapsOf(store: Store, op: OpId, profile: Profile) {
  const kind = { op, dtype: 'f32', profile } as const;
  const { problems } = await store.leaderboard(kind);
  const shapes = problems
    .toSorted((a, b) => b.gpus - a.gpus || b.devices - a.devices)
    .slice(0, MOST_SHAPES)
    .map(({ problem }) => shapeText(problem));
  return Promise.all(
    shapes.map((shape) => store.heatMap({ ...kind, shape, groups: [...DEVICE_GROUPS] })),
  );
}

/**
 * Best rates of an op's kernels, by kernel on any problem, and by `kernel shape` on the problem that
 * boards open on and the shapes that most kernels have: f32, under
 * `default`, or under another profile where a kernel has results under that alone.
 */
export async function ladderOf(store: Store, op: OpId) {
  const [figures, own, ...maps] = await Promise.all([
    store.references.list({ op, dtype: 'f32' }),
    bestsOf(store, op),
    ...PROFILES.map((profile) => mapsOf(store, op, profile)),
  ]);
  const results = await store.references.resultsOf(figures);
  const bests = new Map<string, Best>();
  const sizes = new Map<string, { volume: number; kernels: number }>();
  const keep = (kernel: string, problem: Parameters<typeof opOf>[0], best: Best) => {
    const shape = shapeText(problem);
    const key = `${kernel} ${shape}`;
    const known = bests.get(key);
    const size = sizes.get(shape) ?? { volume: volume(problem), kernels: 0 };
    if (!known) sizes.set(shape, { ...size, kernels: size.kernels + 1 });
    const order = (of: Best) => PROFILES.indexOf(of.profile);
    const isNearer = known && order(best) < order(known);
    const isFaster = known && order(best) === order(known) && best.rate > known.rate;
    if (!known || isNearer || isFaster) bests.set(key, best);
  };
  for (const { problem, profile, rows } of maps.flat()) {
    for (const { cells, device } of problem ? rows : []) {
      for (const { isImported, kernel, rate, resultId, unranked } of cells) {
        const where = isImported ? `${device.name}, imported` : device.name;
        const isRanked = unranked === null;
        if (problem)
          keep(kernel, problem, { rate: rate.value, where, profile, resultId, isRanked });
      }
    }
  }
  for (const figure of figures) {
    const { by, hardware, problem, profile, rate, unranked } = figure;
    // A report's kernel is an idea of ours, not our code: it has no profile.
    if (by.kind !== 'kernel' || profile === null || unranked) continue;
    // What an import has brought is a result of this grid.
    const result = results.get(figure);
    keep(by.kernel, problem, {
      ...{ rate: rate.value, where: whereOf(hardware, result), profile },
      resultId: result?.resultId ?? null,
      isRanked: !result?.unranked,
    });
  }
  // Ceilings are in no heat map.
  for (const { kernel, problem, ...best } of own) {
    if (isCeiling(kernel) && problem.dtype === 'f32') keep(kernel, problem, best);
  }
  const opening = openingShape(figures, PROFILES[0]);
  const isFirst = (shape: string) => Number(shape === opening);
  const shapes = [...sizes]
    .toSorted(
      ([one, a], [other, b]) =>
        isFirst(other) - isFirst(one) || b.kernels - a.kernels || b.volume - a.volume,
    )
    .slice(0, MOST_SHAPES)
    .toSorted(([, a], [, b]) => a.volume - b.volume)
    .map(([shape]) => shape);
  return { op, shapes, bests, fastest: await fastestOf(store, op, own) };
}

const whereOf = (hardware: string | null, result: unknown): string =>
  `${hardware ?? 'not named'}, ${result ? 'imported' : 'reference'}`;

type KernelBest = Fastest & { readonly kernel: string };

/** The grid's own bests of an op's kernels on each problem, unless they are implausible. */
const bestsOf = async (store: Store, op: OpId): Promise<KernelBest[]> =>
  (await store.kernelBests())
    .filter(({ problem, unranked }) => problem.op === op && !unranked?.startsWith(IMPLAUSIBLE))
    .map(({ device, isImported, kernel, medianNs, problem, profile, resultId, unranked }) => ({
      kernel,
      ...{ problem, profile, resultId, isRanked: unranked === null },
      rate: rateOf(problem, medianNs).value,
      where: isImported ? `${device}, imported` : device,
    }));

/** Of each kernel of an op, the highest rate on any problem, ranked or not, of reference too. */
async function fastestOf(
  store: Store,
  op: OpId,
  own: readonly KernelBest[],
): Promise<ReadonlyMap<string, Fastest>> {
  const lists = await Promise.all(
    idsOf(DTYPES).map((dtype) => store.references.list({ op, dtype })),
  );
  const figures = lists.flat();
  const results = await store.references.resultsOf(figures);
  const all = [
    ...own,
    ...figures.flatMap((figure) => {
      const { by, hardware, problem, profile, rate, unranked } = figure;
      if (by.kind !== 'kernel' || profile === null) return [];
      const result = results.get(figure);
      const isRanked = !(result?.unranked ?? unranked);
      const what = { problem, profile, resultId: result?.resultId ?? null, isRanked };
      const where = whereOf(hardware, result);
      return [{ kernel: by.kernel, ...what, rate: rate.value, where }];
    }),
  ];
  const slowestFirst = all.toSorted((a, b) => a.rate - b.rate);
  return new Map(slowestFirst.map(({ kernel, ...best }) => [kernel, best]));
}
