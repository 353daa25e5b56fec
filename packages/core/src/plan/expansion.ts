import {
  combinations,
  InputError,
  type Kernel,
  kernelById,
  type Problem,
  problemWith,
  resolveVariant,
  shapeText,
  type Variant,
  variantAddress,
} from '@tilemark/kernels';
import { isContributed } from '../contributed/known';
import type { Profile } from '../measure/device';
import type { PolicyId } from '../measure/policy';
import { checkSpec } from './check-spec';
import {
  isFor,
  MAX_RUNS_PER_SWEEP,
  type PlannableDevice,
  type SweepCase,
  type SweepSpec,
} from './spec';

/** What every run is asked: a variant on a problem, under a profile and policy. */
export interface AskedRun {
  readonly variant: Variant;
  readonly problem: Problem;
  readonly profile: Profile;
  readonly policy: PolicyId;
}

/** A planned run, which is for a device. */
export interface PlannedRun extends AskedRun {
  /** Canonical address of the variant. */
  readonly address: string;
  readonly deviceKey: string;
  /** The variant that it takes turns with once it is measured. */
  readonly rival?: { readonly variant: Variant };
}

/** Every run of the cases on the given devices, each once. */
export function planRuns(spec: SweepSpec, devices: readonly PlannableDevice[]): PlannedRun[] {
  const runs = new Map<string, PlannedRun>();
  for (const sweepCase of spec.cases) {
    const kernel = kernelById(sweepCase.kernel);
    const able = devices.filter((device) => isFor(sweepCase, kernel, device));
    const against = sweepCase.rival ? [variantAddress(sweepCase.rival)] : [];
    for (const problem of problemsOf(sweepCase, kernel, spec)) {
      for (const values of combinations(sweepCase.tunables)) {
        const { tunables, address } = resolveVariant(sweepCase.kernel, values);
        for (const device of able) {
          for (const profile of profilesOf(spec, sweepCase, device)) {
            const asked = [address, shapeText(problem), problem.dtype, device.key, profile];
            runs.set([...asked, ...against].join(' '), {
              variant: { kernel: sweepCase.kernel, tunables },
              address,
              problem,
              profile,
              policy: spec.policy,
              deviceKey: device.key,
              ...(sweepCase.rival && { rival: { variant: sweepCase.rival } }),
            });
          }
        }
      }
    }
  }
  return [...runs.values()];
}

/**
 * Profiles are sets of Dawn toggles, which do not apply to the host CPU, nor are a page's to set.
 * What others have written runs with none of them.
 */
function profilesOf(
  spec: SweepSpec,
  { kernel, rival }: SweepCase,
  { class: deviceClass }: PlannableDevice,
): readonly Profile[] {
  return deviceClass === 'cpu' ||
    deviceClass === 'browser' ||
    isContributed(kernel) ||
    isContributed(rival?.kernel ?? '')
    ? ['default']
    : [...new Set(spec.profiles)];
}

/** A kernel that has an epilogue computes problems with it, unless another is asked for. */
function problemsOf({ shapes, dtypes }: SweepCase, kernel: Kernel, spec: SweepSpec): Problem[] {
  const { regime, epilogue = kernel.epilogue } = spec;
  return shapes
    .flatMap((shape) => dtypes.map((dtype) => problemWith(kernel.op, shape, dtype)))
    .filter((problem) => problem !== null)
    .map((problem) => ({ ...problem, ...(regime && { regime }), ...(epilogue && { epilogue }) }));
}

/** Number of runs, duplicates included: computed from lengths, because the runs may not fit in memory. */
export function countWithDuplicates(spec: SweepSpec, devices: readonly PlannableDevice[]): number {
  return spec.cases.reduce((total, sweepCase) => {
    const kernel = kernelById(sweepCase.kernel);
    const variants = Object.values(sweepCase.tunables).reduce((n, values) => n * values.length, 1);
    const pairs = devices
      .filter((device) => isFor(sweepCase, kernel, device))
      .reduce((n, device) => n + profilesOf(spec, sweepCase, device).length, 0);
    return total + variants * sweepCase.shapes.length * sweepCase.dtypes.length * pairs;
  }, 0);
}

/**
 * Every run of a sweep, in the order of its cases. GPU kernels go to GPUs and software
 * adapters under every profile, and to browsers, which have no profiles (`default`); host kernels
 * go to CPUs, which have none either. A run
 * requested twice is planned once. A combination of tunables that breaks a constraint, or that a
 * device cannot run, is still planned and ends `skipped` with the reason.
 *
 * @param devices all known devices; `spec.devices` chooses among them
 * @throws InputError at the invalid field, for example `cases[0].tunables.TILE`
 */
export function expand(spec: SweepSpec, devices: readonly PlannableDevice[]): PlannedRun[] {
  const chosen = checkSpec(spec, devices);
  const count = countWithDuplicates(spec, chosen);
  if (count > MAX_RUNS_PER_SWEEP) {
    throw new InputError(
      `The sweep has ${count} runs; the limit is ${MAX_RUNS_PER_SWEEP}. Choose fewer values, shapes or devices.`,
      'cases',
    );
  }
  if (count === 0) {
    throw new InputError(
      'No chosen device runs any of the chosen kernels: GPU kernels need a GPU or a software adapter, host kernels a CPU.',
      'devices',
    );
  }
  return planRuns(spec, chosen);
}
