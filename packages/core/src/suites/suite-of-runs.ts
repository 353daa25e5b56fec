import { ifValid, opOf, shapeText } from '@tilemark/kernels';
import { expand, type PlannedRun } from '../plan/expansion';
import type { PlannableDevice, SweepSpec } from '../plan/spec';
import type { Suite } from './suite';
import { SUITES, suiteSpec } from './suites';

/** More sizes than any suite runs at once. */
const MAX_SIZES = 32;

/**
 * The suite that expands to exactly these runs, with its sweep: tells a suite that was run
 * elsewhere from runs chosen by hand. The sizes of the runs are tried as its parameter. Null
 * if they belong to no suite, or are only part of one.
 *
 * @param devices the devices of the runs
 */
export function suiteOfRuns(
  runs: readonly PlannedRun[],
  devices: readonly PlannableDevice[],
): { readonly suite: Suite; readonly spec: SweepSpec } | null {
  const [first] = runs;
  if (!first) return null;
  const sizes = new Set(runs.flatMap(({ problem }) => [...opOf(problem).sides(problem.shape)]));
  if (sizes.size > MAX_SIZES) return null;
  const asked = namesOf(runs);
  const keys = devices.map(({ key }) => key);
  const profiles = [...new Set(runs.map(({ profile }) => profile))];
  for (const suite of SUITES) {
    for (const params of candidates(suite, sizes)) {
      const spec = { ...suiteSpec(suite.id, params), profiles, policy: first.policy };
      // Nothing where none of the devices runs its kernels.
      const expanded = ifValid(() => expand({ ...spec, devices: keys }, devices)) ?? [];
      if (isEqual(asked, namesOf(expanded))) return { suite, spec };
    }
  }
  return null;
}

/** The defaults, then every size as the first parameter. */
function candidates({ params: [param] }: Suite, sizes: ReadonlySet<number>) {
  if (!param) return [{}];
  const inRange = [...sizes].filter((size) => size >= param.min && size <= param.max);
  return [{}, ...inRange.map((size) => ({ [param.name]: size }))];
}

const namesOf = (runs: readonly PlannedRun[]): ReadonlySet<string> =>
  new Set(
    runs.map(({ address, deviceKey, policy, problem, profile }) =>
      [
        address,
        shapeText(problem),
        problem.dtype,
        problem.regime,
        problem.epilogue,
        deviceKey,
        profile,
        policy,
      ].join(' '),
    ),
  );

const isEqual = (a: ReadonlySet<string>, b: ReadonlySet<string>): boolean =>
  a.size === b.size && [...a].every((name) => b.has(name));
