import {
  type HeatMap,
  type LeaderboardRow,
  MARGIN,
  type Profile,
  provenNs,
  type ReferenceFigure,
} from '@tilemark/core';

/** The fastest that is known of a device, by its name: hardware of the reference has no key. */
export interface KnownBest {
  readonly name: string;
  readonly kernel: string;
  /** GFLOP/s or GB/s. */
  readonly rate: number;
  /** At the time that it is placed by. */
  readonly provenRate: number;
}

/** Devices whose fastest kernel is known under this profile, not the one that is shown. */
export interface Faster {
  readonly profile: Profile;
  readonly devices: readonly KnownBest[];
}

export const bestsOfCells = (rows: HeatMap['rows']): KnownBest[] =>
  rows.flatMap(({ cells, device: { name } }) =>
    cells
      .filter(({ unranked }) => unranked === null)
      .map((cell) => bestOf(name, cell.kernel, cell, cell.provenNs)),
  );

export const bestsOfRows = (rows: readonly LeaderboardRow[]): KnownBest[] =>
  rows
    .filter(({ rank }) => rank !== null)
    .map((row) => bestOf(row.device.name, row.variant.kernel, row, provenNs(row)));

export const bestsOfFigures = (
  figures: ReadonlyMap<string, readonly ReferenceFigure[]>,
): KnownBest[] =>
  [...figures].flatMap(([name, ofHardware]) =>
    ofHardware.flatMap((figure) => {
      const { by, interval, medianNs } = figure;
      if (by.kind !== 'kernel') return [];
      const placedBy = interval ? provenNs({ medianNs, ...interval }) : medianNs;
      return [bestOf(name, by.kernel, figure, placedBy)];
    }),
  );

const bestOf = (
  name: string,
  kernel: string,
  { medianNs, rate }: Pick<LeaderboardRow, 'medianNs' | 'rate'>,
  placedBy: number,
): KnownBest => ({
  name,
  kernel,
  rate: rate.value,
  provenRate: (rate.value * medianNs) / placedBy,
});

/**
 * Of the devices shown, those on which something there is faster than all here by more than the
 * margin of ranks, even at the slow end of a wide interval; or on which nothing is known here.
 */
export function fasterThan(
  names: readonly string[],
  here: readonly KnownBest[],
  there: readonly KnownBest[],
): KnownBest[] {
  const byRate = there.toSorted((a, b) => b.provenRate - a.provenRate);
  return [...new Set(names)].flatMap((name) => {
    const rates = here.filter((each) => each.name === name).map(({ rate }) => rate);
    const best = byRate.find((each) => each.name === name);
    return best && best.provenRate > (1 + MARGIN) * Math.max(0, ...rates) ? [best] : [];
  });
}

/** A kernel without its op. */
export const nameOf = (kernel: string): string => kernel.slice(kernel.indexOf('/') + 1);
