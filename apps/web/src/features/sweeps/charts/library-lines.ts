import type { ReferenceFigure } from '@tilemark/core';
import type { Problem } from '@tilemark/kernels';
import type { LegendItem } from '@/ui/plot/file';
import { problemText } from '../runs';

/** What a library reaches on a problem, measured elsewhere on hardware of a device's name. */
export interface LibraryRate {
  /** `cuBLAS` */
  readonly name: string;
  readonly hardware: string;
  readonly problem: Problem;
  /** In the unit of the op's rates. */
  readonly rate: number;
}

/** What the libraries reach that ran on hardware of these names. */
export function libraryRates(
  figures: readonly ReferenceFigure[],
  names: ReadonlySet<string>,
): LibraryRate[] {
  return figures.flatMap(({ by, hardware, problem, rate }) =>
    by.kind === 'library' && hardware !== null && names.has(hardware)
      ? [{ name: by.name, hardware, problem, rate: rate.value }]
      : [],
  );
}

/** Those on one problem. */
export const ratesOn = (rates: readonly LibraryRate[], problem: Problem): LibraryRate[] =>
  rates.filter((each) => problemText(each.problem) === problemText(problem));

/** Farther out than so many times the fastest of our own, a line would flatten what it stands beside. */
const FAR = 2;

/** How a library's line looks in the legend: one that would flatten the rest waits there to be shown. */
export const libraryItem = (
  text: string,
  color: string,
  highest: number,
  fastest: number,
): LegendItem => ({ text, color, isDashed: true, isOff: highest > FAR * fastest });

/** What a caption says of the lines. */
export const librariesText = (items: readonly LegendItem[]): string =>
  items.length === 0
    ? ''
    : '. Dashed: libraries on hardware of the same name, for comparison only; the table of them below says how each was timed';
