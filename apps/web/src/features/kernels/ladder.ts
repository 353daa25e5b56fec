import { DEVICE_GROUPS, PROFILES, type Profile } from '@tilemark/core';
import type { Store } from '@tilemark/core/server';
import { type OpId, type opOf, shapeText, volume } from '@tilemark/kernels';

/** The fastest result of a kernel on a problem, wherever that was. */
export interface Best {
  readonly rate: number;
  readonly where: string;
  readonly profile: Profile;
  /** Null: a figure of reference. */
  readonly resultId: string | null;
}

/** More columns than this do not fit beside the ideas. */
const MOST_SHAPES = 5;

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
 * Best rates of an op's kernels, by `kernel shape`, on the shapes that most kernels have: under
 * `default`, or under another profile where a kernel has results under that alone.
 */
export async function ladderOf(store: Store, op: OpId) {
  const [figures, ...maps] = await Promise.all([
    store.references.list({ op, dtype: 'f32' }),
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
      for (const { isImported, kernel, rate, resultId } of cells) {
        const where = isImported ? `${device.name}, imported` : device.name;
        if (problem) keep(kernel, problem, { rate: rate.value, where, profile, resultId });
      }
    }
  }
  for (const figure of figures) {
    const { by, hardware, problem, profile, rate, unranked } = figure;
    // A report's kernel is an idea of ours, not our code: it has no profile.
    if (by.kind !== 'kernel' || profile === null || unranked) continue;
    // What an import has brought is a result of this grid.
    const resultId = results.get(figure) ?? null;
    const where = `${hardware ?? 'not named'}, ${resultId ? 'imported' : 'reference'}`;
    keep(by.kernel, problem, { rate: rate.value, where, profile, resultId });
  }
  const shapes = [...sizes]
    .toSorted(([, a], [, b]) => b.kernels - a.kernels || b.volume - a.volume)
    .slice(0, MOST_SHAPES)
    .toSorted(([, a], [, b]) => a.volume - b.volume)
    .map(([shape]) => shape);
  return { op, shapes, bests };
}
