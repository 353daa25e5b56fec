import {
  brokenConstraints,
  feasible,
  featuresOf,
  resolveVariant,
  shapeText,
} from '@tilemark/kernels';
import { checkSpec } from './check-spec';
import type { DeviceCapabilities } from './device';
import { type Pace, secondsOf } from './pace';
import {
  countWithDuplicates,
  type PlannableDevice,
  type PlannedRun,
  planRuns,
} from './planned-run';
import { MAX_RUNS_PER_SWEEP, type SweepSpec } from './spec';

export interface RunCount {
  /** Runs the sweep would have; an upper bound where `isTooMany`. */
  readonly runs: number;
  readonly isTooMany: boolean;
  /** How many of them would end `skipped`, by reason, most first. */
  readonly skipped: readonly SkippedRuns[];
  /** The same for each device that has any, in the order given; none where `isTooMany`. */
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
  /** How long the others may take by the paces given, s; null where they tell nothing of the device. */
  readonly seconds: number | null;
}

/**
 * How many runs `expand` would plan, how many of them would be skipped, and how long the
 * others may take by what runs took before: what a form shows while it is filled in.
 * Throws as `expand` does, save that none and too many are answers here.
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
      const own = runs.filter(({ deviceKey }) => deviceKey === key);
      if (own.length === 0) return [];
      const seconds = secondsOfAll(
        own.filter(({ why }) => why === null),
        paces,
      );
      return [{ key, runs: own.length, skipped: skippedByReason(own), seconds }];
    }),
  };
}

/** Null where the paces say nothing of one of the runs. Runs of one problem are looked up once. */
function secondsOfAll(runs: readonly PlannedRun[], paces: readonly Pace[]): number | null {
  const known = new Map<string, number | null>();
  let total = 0;
  for (const run of runs) {
    const key = `${run.problem.op} ${shapeText(run.problem)}`;
    const seconds = known.has(key) ? known.get(key) : secondsOf(run, paces);
    if (seconds === null || seconds === undefined) return null;
    known.set(key, seconds);
    total += seconds;
  }
  return total;
}

function skippedByReason(runs: readonly { readonly why: string | null }[]): SkippedRuns[] {
  const skipped = new Map<string, number>();
  for (const { why } of runs) if (why) skipped.set(why, (skipped.get(why) ?? 0) + 1);
  return [...skipped].map(([why, count]) => ({ why, runs: count })).sort((a, b) => b.runs - a.runs);
}

function whySkipped(
  { variant, problem, profile }: PlannedRun,
  capabilities: DeviceCapabilities | undefined,
): string | null {
  const { definition, tunables } = resolveVariant(variant.kernel, variant.tunables);
  if (!capabilities) return brokenConstraints(definition, tunables).join('; ') || null;
  // A device is known under `default`; `fast` may have features that `default` withholds.
  const hidden =
    profile === 'fast' && definition.runsOn === 'gpu'
      ? featuresOf(definition, tunables, problem.dtype)
      : [];
  const features = [...capabilities.features, ...hidden];
  const fit = feasible(variant, problem, { ...capabilities, features });
  return fit.ok ? null : fit.why;
}
