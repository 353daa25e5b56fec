import {
  brokenConstraints,
  feasible,
  featuresOf,
  type Problem,
  parseShape,
  resolveVariant,
  shapeText,
  volume,
} from '@tilemark/kernels';
import { sum } from 'd3-array';
import type { DeviceCapabilities } from '../measure/device';
import type { PolicyId } from '../measure/policy';
import { checkSpec } from './check-spec';
import { countWithDuplicates, type PlannedRun, planRuns } from './expansion';
import { MAX_RUNS_PER_SWEEP, type PlannableDevice, type SweepSpec } from './spec';

export interface RunCount {
  /** Runs the sweep would have; an upper bound if `isTooMany`. */
  readonly runs: number;
  readonly isTooMany: boolean;
  /** How many of them would end as `skipped`, by reason, most frequent first. */
  readonly skipped: readonly SkippedRuns[];
  /** The same for each device that has any, in the order given; empty if `isTooMany`. */
  readonly devices: readonly DeviceRunCount[];
}

export interface SkippedRuns {
  readonly why: string;
  readonly runs: number;
}

export interface DeviceRunCount {
  readonly key: string;
  readonly runs: number;
  readonly skipped: readonly SkippedRuns[];
  /** How long the others may take at the paces given, s; null if these do not cover the device. */
  readonly seconds: number | null;
  /** Of these, the one that may take longest; null as above. */
  readonly longestSeconds: number | null;
}

/**
 * How many runs `expand` would plan, how many of them would be skipped, and how long the others
 * may take at the pace of past runs: what the form shows while it is filled in. Throws as
 * `expand` does, except that none and too many are valid answers here.
 */
export function countRuns(
  spec: SweepSpec,
  devices: readonly PlannableDevice[],
  paces: readonly Pace[] = [],
): RunCount {
  const chosen = checkSpec(spec, devices);
  const count = countWithDuplicates(spec, chosen);
  if (count > MAX_RUNS_PER_SWEEP) {
    return { runs: count, isTooMany: true, skipped: [], devices: [] };
  }

  const runs = planRuns(spec, chosen).map((run) => {
    const device = chosen.find(({ key }) => key === run.deviceKey);
    return { ...run, why: whySkipped(run, device?.capabilities) };
  });
  return {
    runs: runs.length,
    isTooMany: false,
    skipped: skippedByReason(runs),
    devices: chosen.flatMap(({ key }) => {
      const ofDevice = runs.filter(({ deviceKey }) => deviceKey === key);
      if (ofDevice.length === 0) return [];
      const times = secondsOfEach(
        ofDevice.filter(({ why }) => why === null),
        paces,
      );
      const seconds = times && sum(times);
      const longestSeconds = times && Math.max(0, ...times);
      return [
        { key, runs: ofDevice.length, skipped: skippedByReason(ofDevice), seconds, longestSeconds },
      ];
    }),
  };
}

/** Null if the paces do not cover one of the runs. Each problem is looked up once. */
function secondsOfEach(runs: readonly PlannedRun[], paces: readonly Pace[]): number[] | null {
  const known = new Map<string, number | null>();
  const times: number[] = [];
  for (const run of runs) {
    const key = `${run.problem.op} ${shapeText(run.problem)}`;
    const seconds = known.has(key) ? known.get(key) : secondsOf(run, paces);
    if (seconds === null || seconds === undefined) return null;
    known.set(key, seconds);
    times.push(seconds);
  }
  return times;
}

function skippedByReason(runs: readonly { readonly why: string | null }[]): SkippedRuns[] {
  const skipped = new Map<string, number>();
  for (const { why } of runs) if (why) skipped.set(why, (skipped.get(why) ?? 0) + 1);
  return [...skipped].map(([why, count]) => ({ why, runs: count })).sort((a, b) => b.runs - a.runs);
}

/** Why a device would skip a run; null: it would not, as far as its description tells. */
export function whySkipped(
  { variant, problem, profile }: Pick<PlannedRun, 'variant' | 'problem' | 'profile'>,
  capabilities: DeviceCapabilities | undefined,
): string | null {
  const { definition, tunables } = resolveVariant(variant.kernel, variant.tunables);
  if (!capabilities) return brokenConstraints(definition, tunables).join('; ') || null;
  // Devices are described under `default`; `fast` may have features that `default` withholds.
  const hidden =
    profile === 'fast' && definition.runsOn === 'gpu'
      ? featuresOf(definition, tunables, problem.dtype)
      : [];
  const features = [...capabilities.features, ...hidden];
  const fit = feasible(variant, problem, { ...capabilities, features });
  return fit.ok ? null : fit.why;
}

/** How long runs of a device took from one end to the next, compiling and verifying included. */
export interface Pace {
  readonly deviceKey: string;
  readonly op: Problem['op'];
  /** As `shapeText` writes it. */
  readonly shape: string;
  readonly policy: string;
  /** Median of the runs, s. */
  readonly seconds: number;
  /** Median of the time of a dispatch, ns; absent where it is not known. */
  readonly dispatchNs?: number;
}

/**
 * How long a run may take: as long as runs of the same op under the same policy took on its device
 * on the shape closest in work. Null if there were none; other devices, ops, or policies say
 * nothing.
 */
export function secondsOf(
  { deviceKey, problem, policy }: { deviceKey: string; problem: Problem; policy: PolicyId },
  paces: readonly Pace[],
): number | null {
  const { op } = problem;
  // What time is proportional to.
  const work = volume(problem);
  const [nearest] = paces
    .filter((pace) => {
      return pace.deviceKey === deviceKey && pace.policy === policy && pace.op === op;
    })
    .map(({ seconds, shape }) => {
      const doublings = Math.log2(work / volume({ op, shape: parseShape(op, shape) }));
      return { seconds, distance: Math.abs(doublings) };
    })
    .toSorted((a, b) => a.distance - b.distance);
  return nearest?.seconds ?? null;
}
