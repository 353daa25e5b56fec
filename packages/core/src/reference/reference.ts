/**
 * Reference: figures that a grid did not measure itself, so that its first result has something to
 * stand beside. What ships was measured with Tilemark on an NVIDIA H200, or printed in a report that
 * a suite reproduces; more comes from files of `bench/side-by-side`. Each figure says what ran, on
 * what, and where the figure comes from. None is ever ranked, and no statistic of the grid counts it.
 *
 * - figures.ts reads figures out of files. Its test writes h200.json from docs/results/
 *   (`npx vitest run packages/core/src/reference --update`), so what ships is what the docs show.
 * - The reports (suites/published/) are read where they are.
 */
import { isCeiling, opOf, shapeText } from '@tilemark/kernels';
import { ascending, group } from 'd3-array';
import { allPublished } from '../suites/suites';
import type { ReferenceFigure, ReferenceQuery } from '../view/api';
import h200 from './h200.json';

/** Every figure that ships. */
export function shippedReference(): ReferenceFigure[] {
  shipped ??= [...h200Figures(), ...publishedFigures()];
  return shipped;
}

let shipped: ReferenceFigure[] | undefined;

const h200Figures = (): ReferenceFigure[] =>
  (h200 as Omit<ReferenceFigure, 'imported'>[]).map((figure) => ({ ...figure, imported: null }));

const publishedFigures = (): ReferenceFigure[] =>
  allPublished().flatMap(({ hardware, results, source }) =>
    results.map(({ address, label, note, problem, rate, runtime, timeMs, variant }) => ({
      hardware: runtime === 'cpu' ? hardware.cpu : hardware.gpu,
      class: runtime === 'cpu' ? ('cpu' as const) : ('gpu' as const),
      by: { kind: 'report' as const, kernel: variant.kernel, address, label },
      problem,
      profile: null,
      medianNs: timeMs * 1e6,
      interval: null,
      rate,
      measuredAt: source.date && `${source.date}T00:00:00.000Z`,
      source: `${source.title}${note ? `: ${note}` : ''}.`,
      unranked: null,
      imported: null,
    })),
  );

/** Whether a figure is about what is asked for. */
export const isAsked = ({ problem }: ReferenceFigure, { op, dtype, shape }: ReferenceQuery) =>
  problem.op === op &&
  problem.dtype === dtype &&
  (shape === undefined || shapeText(problem) === shape);

/**
 * What a board shows of the figures of one problem: the fastest kernel and the ceiling of each
 * hardware under the profile, each library, the fastest of each report; fastest first. Less exact kernels are left out.
 */
export function bestOfEach(
  figures: readonly ReferenceFigure[],
  profile: NonNullable<ReferenceFigure['profile']>,
): ReferenceFigure[] {
  const fitting = figures.filter(
    (figure) =>
      figure.by.kind !== 'kernel' || (figure.profile === profile && figure.unranked === null),
  );
  return fastestOfEach(fitting, ({ by, hardware, source }) =>
    JSON.stringify([
      hardware,
      by.kind,
      // A ceiling is not the best of the kernels: it does less.
      by.kind === 'library' ? by.name : by.kind === 'report' ? source : isCeiling(by.kernel),
    ]),
  ).toSorted((a, b) => a.medianNs - b.medianNs);
}

/** What a heat map shows: the fastest figure of each kernel, by hardware; ceilings are left out. */
export function bestOfKernels(
  figures: readonly ReferenceFigure[],
  profile: NonNullable<ReferenceFigure['profile']>,
): ReadonlyMap<string, readonly ReferenceFigure[]> {
  const fitting = figures.filter(
    ({ by, hardware, unranked, ...figure }) =>
      by.kind === 'kernel' &&
      !isCeiling(by.kernel) &&
      hardware !== null &&
      unranked === null &&
      figure.profile === profile,
  );
  const best = fastestOfEach(fitting, ({ by, hardware }) =>
    JSON.stringify([hardware, by.kind === 'library' ? by.name : by.kernel]),
  );
  return group(best, ({ hardware }) => hardware ?? '');
}

/**
 * What a page of a kernel shows: the fastest of its own figures per hardware, problem and profile,
 * and the libraries on those problems.
 */
export function besideKernel(
  figures: readonly ReferenceFigure[],
  kernel: string,
): ReferenceFigure[] {
  const fastest = fastestOfEach(
    figures.filter(({ by }) => by.kind === 'kernel' && by.kernel === kernel),
    ({ hardware, problem, profile }) => [hardware, problemText(problem), profile].join(),
  );
  return bySize([
    ...fastest,
    ...librariesOn(
      figures,
      fastest.map(({ problem }) => problem),
    ),
  ]);
}

/**
 * What a page of a device shows: the fastest kernel of each problem and profile, ceilings apart; an
 * op after another, larger problems first.
 */
export function ofHardware(
  figures: readonly ReferenceFigure[],
  hardware: string,
): ReferenceFigure[] {
  const fastest = fastestOfEach(
    figures.filter(
      (figure) =>
        figure.hardware === hardware &&
        figure.by.kind === 'kernel' &&
        figure.unranked === null &&
        !isCeiling(figure.by.kernel),
    ),
    ({ problem, profile }) => [problemText(problem), profile].join(),
  );
  return bySize(fastest)
    .toReversed()
    .toSorted((a, b) => ascending(a.problem.op, b.problem.op));
}

/** Each library per hardware on these problems. */
export function librariesOn(
  figures: readonly ReferenceFigure[],
  problems: readonly ReferenceFigure['problem'][],
): ReferenceFigure[] {
  const asked = new Set(problems.map(problemText));
  const libraries = figures.filter(
    ({ by, problem }) => by.kind === 'library' && asked.has(problemText(problem)),
  );
  return bySize(libraries);
}

const problemText = (problem: ReferenceFigure['problem']) =>
  `${problem.op} ${problem.dtype} ${shapeText(problem)}`;

/** Smaller problems first, of each the fastest first. */
function bySize(figures: readonly ReferenceFigure[]): ReferenceFigure[] {
  const sizeOf = ({ problem }: ReferenceFigure) =>
    opOf(problem).bytes(problem.shape, problem.dtype);
  return figures.toSorted((a, b) => sizeOf(a) - sizeOf(b) || a.medianNs - b.medianNs);
}

/** The fastest of figures with the same id, in the order in which ids come first. */
function fastestOfEach(
  figures: readonly ReferenceFigure[],
  idOf: (figure: ReferenceFigure) => string,
): ReferenceFigure[] {
  const best = new Map<string, ReferenceFigure>();
  for (const figure of figures) {
    const id = idOf(figure);
    const known = best.get(id);
    if (!known || figure.medianNs < known.medianNs) best.set(id, figure);
  }
  return [...best.values()];
}
