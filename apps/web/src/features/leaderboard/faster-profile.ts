import {
  type HeatMap,
  type LeaderboardRow,
  MARGIN,
  type Profile,
  type ReferenceFigure,
} from '@tilemark/core';

/** The fastest that is known of a device, by its name: hardware of the reference has no key. */
export interface KnownBest {
  readonly name: string;
  readonly kernel: string;
  /** GFLOP/s or GB/s. */
  readonly rate: number;
}

/** Devices on which something is faster under this profile than under the one that is shown. */
export interface Faster {
  readonly profile: Profile;
  readonly devices: readonly KnownBest[];
}

export const bestsOfCells = (rows: HeatMap['rows']): KnownBest[] =>
  rows.flatMap(({ cells, device: { name } }) =>
    cells
      .filter(({ unranked }) => unranked === null)
      .map(({ kernel, rate }) => ({ name, kernel, rate: rate.value })),
  );

export const bestsOfRows = (rows: readonly LeaderboardRow[]): KnownBest[] =>
  rows
    .filter(({ rank }) => rank !== null)
    .map(({ device: { name }, rate, variant: { kernel } }) => ({ name, kernel, rate: rate.value }));

export const bestsOfFigures = (
  figures: ReadonlyMap<string, readonly ReferenceFigure[]>,
): KnownBest[] =>
  [...figures].flatMap(([name, own]) =>
    own.flatMap(({ by, rate }) =>
      by.kind === 'kernel' ? [{ name, kernel: by.kernel, rate: rate.value }] : [],
    ),
  );

/** Of the devices known here, those on which something there is faster by more than the margin of ranks. */
export function fasterThan(here: readonly KnownBest[], there: readonly KnownBest[]): KnownBest[] {
  const byRate = there.toSorted((a, b) => b.rate - a.rate);
  return [...new Set(here.map(({ name }) => name))].flatMap((name) => {
    const own = here.filter((each) => each.name === name).map(({ rate }) => rate);
    const best = byRate.find((each) => each.name === name);
    return best && best.rate > (1 + MARGIN) * Math.max(...own) ? [best] : [];
  });
}

/** A kernel without its op. */
export const nameOf = (kernel: string): string => kernel.slice(kernel.indexOf('/') + 1);
