import { refuseIf, shapeText, type TunableValue } from '@tilemark/kernels';
import { group } from 'd3-array';
import type { SweepCase, SweepSpec } from '../../plan/spec';
import { canonicalJson } from '../store/database';
import type { ImportedResult } from '../store/sweeps/import';

/** The sweep that a file is kept as: what asks for its results again, and what was run in a few words. */
export function importedSweep(
  imported: readonly ImportedResult[],
  suite: string | undefined,
): { readonly title: string; readonly spec: SweepSpec } {
  const runs = imported.map(({ run }) => run);
  const [kernel = '', ...others] = distinct(runs.map((run) => run.variant.kernel));
  const kernels = others.length > 0 ? `${kernel} and ${others.length} more` : kernel;
  return { title: titled(suite ?? kernels, runs), spec: specOf(runs) };
}

/**
 * A title with what tells files of one suite or kernel apart: `layouts, 8192`, `transpose/copy, 3 shapes,
 * fast`.
 */
function titled(what: string, runs: readonly ImportedResult['run'][]): string {
  const shapes = distinct(runs.map(({ problem }) => shapeText(problem)));
  const profiles = distinct(runs.map(({ profile }) => profile));
  return [
    what,
    shapes.length > 2 ? `${shapes.length} shapes` : shapes.join(' and '),
    ...(profiles.length === 1 && profiles[0] !== 'default' ? profiles : []),
  ].join(', ');
}

/** A spec that asks for the runs: to show them, and to run them again on their devices. */
function specOf(runs: readonly ImportedResult['run'][]): SweepSpec {
  return {
    cases: [...group(runs, (run) => run.variant.kernel).values()].flatMap(casesOfKernel),
    profiles: distinct(runs.map((run) => run.profile)),
    policy: runs[0]?.policy ?? 'default',
    ...particularsOf(runs),
    devices: distinct(runs.map((run) => run.deviceKey)),
  };
}

/** The epilogue of all runs. Throws InputError where they have several. */
function particularsOf(runs: readonly ImportedResult['run'][]): Pick<SweepSpec, 'epilogue'> {
  const [epilogue, ...more] = distinct(runs.map(({ problem }) => problem.epilogue ?? null));
  refuseIf(
    more.length > 0,
    'The file has problems of several epilogues: import one file for each.',
    'results',
  );
  return { ...(epilogue && { epilogue }) };
}

/** One case if the variants are every combination of their values, otherwise one per variant. */
function casesOfKernel(runs: readonly ImportedResult['run'][]): SweepCase[] {
  const whole = caseOfRuns(runs);
  const axes = [...Object.values(whole.tunables), whole.shapes, whole.dtypes];
  const combinations = axes.reduce((product, values) => product * values.length, 1);
  const pairs = distinct(runs.map(({ variant, problem }) => ({ variant, problem })));
  if (combinations === pairs.length) return [whole];
  const byVariant = group(runs, (run) => canonicalJson(run.variant.tunables));
  return [...byVariant.values()].map(caseOfRuns);
}

function caseOfRuns(runs: readonly ImportedResult['run'][]): SweepCase {
  const tunables: Record<string, TunableValue[]> = {};
  for (const { variant } of runs) {
    for (const [name, value] of Object.entries(variant.tunables)) {
      tunables[name] = distinct([...(tunables[name] ?? []), value]);
    }
  }
  return {
    kernel: runs[0]?.variant.kernel ?? '',
    tunables,
    shapes: distinct(runs.map(({ problem }) => problem.shape)),
    dtypes: distinct(runs.map(({ problem }) => problem.dtype)),
  };
}

const distinct = <T>(items: readonly T[]): T[] => [
  ...new Map(items.map((item) => [canonicalJson(item), item])).values(),
];
