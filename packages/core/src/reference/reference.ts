/**
 * Reference: figures that a grid did not measure itself, so that its first result has something to
 * stand beside. They ship: measured with Tilemark on an NVIDIA H200, or printed in a report that a
 * suite reproduces. Each figure says what ran, on what, and where the figure comes from. None is ever
 * ranked, and no statistic of the grid counts it.
 *
 * - The test writes h200.json from docs/results/ (`npx vitest run packages/core/src/reference
 *   --update`), so what ships is what the docs show.
 * - The reports (suites/reports.json) are read where they are.
 */
import { isCeiling, type Problem } from '@tilemark/kernels';
import { group, least } from 'd3-array';
import type { ReferenceFigure } from '../api/api';
import { allPublished } from '../suites/suites';
import h200 from './h200.json';

/** Every figure that ships. */
export function shippedReference(): ReferenceFigure[] {
  shipped ??= [...(h200 as ReferenceFigure[]), ...publishedFigures()];
  return shipped;
}

let shipped: ReferenceFigure[] | undefined;

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
    })),
  );

/** The figures of an op in a dtype. */
export const referencesOn = ({ op, dtype }: Pick<Problem, 'op' | 'dtype'>): ReferenceFigure[] =>
  shippedReference().filter(({ problem }) => problem.op === op && problem.dtype === dtype);

/**
 * The figures of one problem on a board: the fastest kernel and the ceiling of each hardware under the
 * profile, each library, the fastest of each report; fastest first. Less exact kernels are left out.
 */
export function bestOfEach(
  figures: readonly ReferenceFigure[],
  profile: NonNullable<ReferenceFigure['profile']>,
): ReferenceFigure[] {
  const fitting = figures.filter(
    (figure) =>
      figure.by.kind !== 'kernel' || (figure.profile === profile && figure.unranked === null),
  );
  const alike = group(fitting, ({ by, hardware, source }) =>
    JSON.stringify([
      hardware,
      by.kind,
      // A ceiling is not the best of the kernels: it does less.
      by.kind === 'library' ? by.name : by.kind === 'report' ? source : isCeiling(by.kernel),
    ]),
  );
  return [...alike.values()]
    .flatMap((each) => least(each, ({ medianNs }) => medianNs) ?? [])
    .toSorted((a, b) => a.medianNs - b.medianNs);
}
