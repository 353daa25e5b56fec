import { type Problem, parseProblem, type TunableValues } from '@tilemark/kernels';
import type { Published } from '../../view/suite';

/** One figure of a report, with the variant and the problem it is the time of, as printed. */
export interface Figure {
  readonly label: string;
  readonly kernel: string;
  /** Those left out have the kernel's defaults. */
  readonly tunables: TunableValues;
  readonly problem: Problem;
  readonly timeMs: number;
  readonly note: string | null;
}

/**
 * The figures of a report that a suite reproduces. They are other people's, shown beside our
 * own measurements and never ranked with them.
 */
export type Report = Omit<Published, 'suite' | 'results'> & { readonly results: readonly Figure[] };

type Source = Published['source'];

/** Titles are ours: reports are named after their subject. What a source does not say is null. */
export const report = (
  source: Pick<Source, 'id' | 'title' | 'language'> & Partial<Source>,
  parts: Partial<Report>,
): Report => ({
  source: { date: null, note: null, ...source },
  hardware: { gpu: null, cpu: null },
  results: [],
  ...parts,
});

export const figure = (
  ...[label, kernel, tunables, problem, timeMs, note = null]: [
    label: string,
    kernel: string,
    tunables: TunableValues,
    problem: Problem,
    timeMs: number,
    note?: string | null,
  ]
): Figure => ({ label, kernel, tunables, problem, timeMs, note });

/** A product of square matrices. */
export const squareMatmul = (n: number, dtype: Problem['dtype'] = 'f32'): Problem =>
  parseProblem({ op: 'matmul', shape: String(n), dtype });
