import {
  brokenConstraints,
  feasible,
  type Problem,
  parseShape,
  resolveVariant,
  shapeText,
  volume,
} from '@tilemark/kernels';
import { least, sum } from 'd3-array';
import type { DeviceCapabilities } from '../measure/device';
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

interface SkippedRuns {
  readonly why: string;
  readonly runs: number;
}

export interface DeviceRunCount {
  readonly key: string;
  readonly runs: number;
  readonly skipped: readonly SkippedRuns[];
  /** How long the others take, within a factor of two, s; null where no past run is like one of them. */
  readonly seconds: number | null;
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
      const able = ofDevice.filter(({ why }) => why === null);
      return [
        {
          key,
          runs: ofDevice.length,
          skipped: skippedByReason(ofDevice),
          seconds: sumOrNull(timesOf(able, (run) => estimateOf(run, paces))),
        },
      ];
    }),
  };
}

/** Each problem is looked up once. */
function timesOf(
  runs: readonly PlannedRun[],
  timeOf: (run: PlannedRun) => number | null,
): (number | null)[] {
  const known = new Map<string, number | null>();
  return runs.map((run) => {
    const key = `${run.problem.op} ${shapeText(run.problem)}`;
    const seconds = known.has(key) ? (known.get(key) ?? null) : timeOf(run);
    known.set(key, seconds);
    return seconds;
  });
}

const isKnown = (times: readonly (number | null)[]): times is readonly number[] =>
  !times.includes(null);

/** Null where one of them is unknown. */
export const sumOrNull = (times: readonly (number | null)[]): number | null =>
  isKnown(times) ? sum(times) : null;

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
  if (!capabilities) {
    const { definition, tunables } = resolveVariant(variant.kernel, variant.tunables);
    return brokenConstraints(definition, tunables).join('; ') || null;
  }
  // Devices are described under `default`; `fast` may have features that `default` withholds.
  const hasFeature = profile === 'fast' ? () => true : undefined;
  const fit = feasible(variant, problem, capabilities, hasFeature);
  return fit.ok ? null : fit.why;
}

/** How long runs of a device took from one end to the next, compiling and verifying included. */
export interface Pace {
  readonly deviceKey: string;
  readonly op: Problem['op'];
  /** As `shapeText` writes it. */
  readonly shape: string;
  readonly policy: string;
  /** Mean of the runs, s. */
  readonly seconds: number;
}

/** Runs take times within a factor of two of each other where their work is. */
const ALIKE_DOUBLINGS = 1;

/**
 * How long a run may take: as long as runs of the same op under the same policy took on its device
 * on the shape closest in work. Null where no past run was like it; other devices, ops, or policies
 * say nothing.
 */
export function estimateOf(
  { deviceKey, policy, problem }: Pick<PlannedRun, 'deviceKey' | 'problem'> & Pick<Pace, 'policy'>,
  paces: readonly Pace[],
): number | null {
  const { op } = problem;
  // What time is proportional to.
  const work = volume(problem);
  const alike = paces.filter(
    (pace) => pace.deviceKey === deviceKey && pace.policy === policy && pace.op === op,
  );
  const nearest = least(
    alike.map((pace) => {
      const doublings = Math.log2(work / volume({ op, shape: parseShape(op, pace.shape) }));
      return { ...pace, distance: Math.abs(doublings) };
    }),
    ({ distance }) => distance,
  );
  return nearest && nearest.distance <= ALIKE_DOUBLINGS ? nearest.seconds : null;
}
