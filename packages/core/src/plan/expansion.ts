import {
  combinations,
  InputError,
  isContributed,
  type Kernel,
  kernelById,
  type Problem,
  problemWith,
  resolveVariant,
  shapeText,
  variantAddress,
} from '@tilemark/kernels';
import type { RunSpec } from '../api/run';
import { hasProfiles, type Profile } from '../measure/device';
import { checkSpec } from './check-spec';
import {
  isFor,
  MAX_RUNS_PER_SWEEP,
  type PlannableDevice,
  type SweepCase,
  type SweepSpec,
} from './spec';

/** Every run of the cases on the given devices, each once. */
export function planRuns(spec: SweepSpec, devices: readonly PlannableDevice[]): RunSpec[] {
  const runs = new Map<string, RunSpec>();
  for (const sweepCase of spec.cases) {
    const kernel = kernelById(sweepCase.kernel);
    const able = devices.filter((device) => isFor(sweepCase, kernel, device));
    const against = sweepCase.rival ? [variantAddress(sweepCase.rival)] : [];
    for (const problem of problemsOf(sweepCase, kernel, spec)) {
      for (const values of combinations(sweepCase.tunables)) {
        const { tunables, address } = resolveVariant(sweepCase.kernel, values);
        for (const device of able) {
          for (const profile of profilesOf(spec, sweepCase, device)) {
            const parts = [address, shapeText(problem), problem.dtype, device.key, profile];
            runs.set([...parts, ...against].join(' '), {
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
 * Profiles are sets of toggles of Dawn in Node, which do not apply elsewhere (`hasProfiles`).
 * What others have written runs with none of them.
 */
function profilesOf(
  spec: SweepSpec,
  { kernel, rival }: SweepCase,
  device: PlannableDevice,
): readonly Profile[] {
  return !hasProfiles(device) || isContributed(kernel) || isContributed(rival?.kernel ?? '')
    ? ['default']
    : [...new Set(spec.profiles)];
}

/** A kernel that has an epilogue computes problems with it, unless another is asked for. */
function problemsOf({ shapes, dtypes }: SweepCase, kernel: Kernel, spec: SweepSpec): Problem[] {
  const { epilogue = kernel.epilogue } = spec;
  return shapes
    .flatMap((shape) => dtypes.map((dtype) => problemWith(kernel.op, shape, dtype)))
    .filter((problem) => problem !== null)
    .map((problem) => ({ ...problem, ...(epilogue && { epilogue }) }));
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
export function expand(spec: SweepSpec, devices: readonly PlannableDevice[]): RunSpec[] {
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
