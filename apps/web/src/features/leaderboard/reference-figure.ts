import type { HeatMap, ReferenceFigure, RunResult } from '@tilemark/core';

/**
 * Whether a figure was taken from a result. What ships has fewer digits than an imported file, since a bundler
 * may shorten them.
 */
export const isSameFigure = (
  { by, rate }: Pick<ReferenceFigure, 'by' | 'rate'>,
  result: Pick<RunResult, 'address' | 'rate'>,
): boolean =>
  by.kind !== 'library' &&
  by.address === result.address &&
  rate.value.toPrecision(9) === result.rate?.value.toPrecision(9);

/**
 * The figures beside a heat map, by hardware. Where all of one were taken from results that the map
 * shows, its row would repeat them. Any other row stays whole: its best and its shares are of all.
 */
export const rowsBeside = (
  figures: ReadonlyMap<string, readonly ReferenceFigure[]>,
  rows: HeatMap['rows'],
): ReadonlyMap<string, readonly ReferenceFigure[]> =>
  new Map(
    [...figures].filter(([hardware, ofHardware]) => {
      const cells = rows.flatMap((row) => (row.device.name === hardware ? row.cells : []));
      return !ofHardware.every((figure) => cells.some((cell) => isSameFigure(figure, cell)));
    }),
  );
