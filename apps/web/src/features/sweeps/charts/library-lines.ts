import type { ReferenceFigure } from '@tilemark/core';
import type { Problem } from '@tilemark/kernels';
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

/** Those whose lines are near enough to be drawn. */
export const near = <Library extends Pick<LibraryRate, 'rate'>>(
  rates: readonly Library[],
  fastest: number,
): Library[] => rates.filter(({ rate }) => rate <= FAR * fastest);

/** What a caption says of the lines, and of those that are not drawn. */
export function librariesText(all: readonly LibraryRate[], drawn: readonly LibraryRate[]): string {
  const names = new Set(drawn.map(({ name }) => name));
  const far = new Set(all.flatMap(({ name }) => (names.has(name) ? [] : name)));
  return [
    names.size > 0 ? '. Dashed: libraries on hardware of the same name' : '',
    far.size > 0 ? `. Off the scale: ${[...far].join(', ')}` : '',
  ].join('');
}
