import { brokenConstraints, feasible, resolveVariant } from '@tilemark/kernels';
import type { RunSpec } from '../api/run';
import type { DeviceCapabilities } from '../measure/device';
import { checkSpec } from './check-spec';
import { countWithDuplicates, planRuns } from './expansion';
import { MAX_RUNS_PER_SWEEP, type PlannableDevice, type SweepSpec } from './spec';

export interface SweepCount {
  /** Runs the sweep would have; an upper bound if `isTooMany`. */
  readonly runs: number;
  readonly isTooMany: boolean;
  /** How many of them would end as `skipped`, by reason, most frequent first. */
  readonly skipped: readonly Skipped[];
  /** The same for each device that has any, in the order given; empty if `isTooMany`. */
  readonly devices: readonly CountOnDevice[];
}

interface Skipped {
  readonly why: string;
  readonly runs: number;
}

export interface CountOnDevice {
  readonly key: string;
  readonly runs: number;
  readonly skipped: readonly Skipped[];
  /** How long the others may take, s; null where the device has no past run. */
  readonly seconds: number | null;
}

/**
 * How many runs `expand` would plan, how many of them would be skipped, and how long the others
 * may take: what the form shows while it is filled in. Throws as
 * `expand` does, except that none and too many are valid answers here.
 *
 * @param runSeconds the median run of each device
 */
export function countRuns(
  spec: SweepSpec,
  devices: readonly PlannableDevice[],
  runSeconds: Readonly<Record<string, number>> = {},
): SweepCount {
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
      const able = ofDevice.filter(({ why }) => why === null).length;
      const seconds = runSeconds[key];
      return [
        {
          key,
          runs: ofDevice.length,
          skipped: skippedByReason(ofDevice),
          seconds: able === 0 ? 0 : seconds === undefined ? null : able * seconds,
        },
      ];
    }),
  };
}

function skippedByReason(runs: readonly { readonly why: string | null }[]): Skipped[] {
  const skipped = new Map<string, number>();
  for (const { why } of runs) if (why) skipped.set(why, (skipped.get(why) ?? 0) + 1);
  return [...skipped].map(([why, count]) => ({ why, runs: count })).sort((a, b) => b.runs - a.runs);
}

/** Why a device would skip a run; null: it would not, as far as its description tells. */
export function whySkipped(
  { variant, problem, profile }: Pick<RunSpec, 'variant' | 'problem' | 'profile'>,
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
