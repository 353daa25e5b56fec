import { refuseIf, shapeText, type TunableValue } from '@tilemark/kernels';
import { group } from 'd3-array';
import { isContributed } from '../../contributed/known';
import type { SweepCase, SweepSpec } from '../../plan/spec';
import { suiteOfRuns } from '../../suites/suite-of-runs';
import { suiteRef } from '../../suites/suites';
import { canonicalJson } from '../store/database';
import type { ImportedRun } from '../store/imported-sweeps';

/** What a file is kept as: a suite if it contains all runs of one, otherwise a sweep by hand. */
export function importedSweep(imported: readonly ImportedRun[]): {
  readonly suite: string | null;
  /** What was run, in a few words. */
  readonly title: string;
  readonly spec: SweepSpec;
} {
  const runs = imported.map(({ run }) => run);
  const devices = imported.map(({ environment, run }) => ({
    key: run.deviceKey,
    class: environment.device.class,
    capabilities: environment.capabilities,
  }));
  const known = suiteOfRuns(runs, [
    ...new Map(devices.map((device) => [device.key, device])).values(),
  ]);
  if (known) {
    const spec = { ...known.spec, devices: distinct(runs.map((run) => run.deviceKey)) };
    return { suite: suiteRef(known.suite), title: titled(known.suite.id, runs), spec };
  }
  const [kernel = '', ...others] = distinct(runs.map((run) => run.variant.kernel));
  const title = others.length > 0 ? `${kernel} and ${others.length} more` : kernel;
  return { suite: null, title: titled(title, runs), spec: specOf(runs) };
}

/** With what tells files of one suite or kernel apart: `layouts, 8192`, `transpose/copy, 3 shapes, fast`. */
function titled(what: string, runs: readonly ImportedRun['run'][]): string {
  const shapes = distinct(runs.map(({ problem }) => shapeText(problem)));
  const profiles = distinct(runs.map(({ profile }) => profile));
  return [
    what,
    shapes.length > 2 ? `${shapes.length} shapes` : shapes.join(' and '),
    ...(profiles.length === 1 && profiles[0] !== 'default' ? profiles : []),
  ].join(', ');
}

/** A spec that asks for the runs: to show them, and to run them again on their devices. */
function specOf(runs: readonly ImportedRun['run'][]): SweepSpec {
  return {
    cases: [...group(runs, (run) => run.variant.kernel).values()].flatMap(casesOfKernel),
    profiles: distinct(runs.map((run) => run.profile)),
    policy: runs[0]?.policy ?? 'default',
    ...particularsOf(runs),
    devices: distinct(runs.map((run) => run.deviceKey)),
  };
}

/** Of all runs. Throws InputError where they have several. */
function particularsOf(
  runs: readonly ImportedRun['run'][],
): Pick<SweepSpec, 'epilogue' | 'regime'> {
  const [regime, ...others] = distinct(runs.map(({ problem }) => problem.regime ?? null));
  refuseIf(
    others.length > 0,
    'The file has inputs of several regimes: import one file for each.',
    'results',
  );
  // A kernel with an epilogue of its own says so itself.
  const ours = runs.filter(({ variant }) => !isContributed(variant.kernel));
  const [epilogue, ...more] = distinct(ours.map(({ problem }) => problem.epilogue ?? null));
  refuseIf(
    more.length > 0,
    'The file has problems of several epilogues: import one file for each.',
    'results',
  );
  return { ...(regime && { regime }), ...(epilogue && { epilogue }) };
}

/** One case if the variants are every combination of their values, otherwise one per variant. */
function casesOfKernel(runs: readonly ImportedRun['run'][]): SweepCase[] {
  const whole = caseOfRuns(runs);
  const axes = [...Object.values(whole.tunables), whole.shapes, whole.dtypes];
  const combinations = axes.reduce((product, values) => product * values.length, 1);
  const asked = distinct(runs.map(({ variant, problem }) => ({ variant, problem })));
  if (combinations === asked.length) return [whole];
  const byVariant = group(runs, (run) => canonicalJson(run.variant.tunables));
  return [...byVariant.values()].map(caseOfRuns);
}

function caseOfRuns(runs: readonly ImportedRun['run'][]): SweepCase {
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
