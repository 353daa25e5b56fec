import { InputError } from '@tilemark/kernels';
import { checkSpec } from './check-spec';
import {
  countWithDuplicates,
  type PlannableDevice,
  type PlannedRun,
  planRuns,
} from './planned-run';
import { MAX_RUNS_PER_SWEEP, type SweepSpec } from './spec';

/**
 * Every run of a sweep, in the order of its cases. GPU kernels go to GPUs,
 * software adapters and browsers under every profile; host kernels go to CPUs,
 * which have no profiles (`default`). A run asked for twice is planned once.
 * A combination of tunables that breaks a constraint, or that a device cannot
 * run, is planned all the same and ends `skipped` with the reason.
 *
 * @param devices the devices there are; `spec.devices` chooses among them
 * @throws InputError naming the field at fault, for example `cases[0].tunables.TILE`
 */
export function expand(spec: SweepSpec, devices: readonly PlannableDevice[]): PlannedRun[] {
  const chosen = checkSpec(spec, devices);
  const count = countWithDuplicates(spec, chosen);
  if (count > MAX_RUNS_PER_SWEEP) {
    throw new InputError(
      `The sweep has ${count} runs; the limit is ${MAX_RUNS_PER_SWEEP}. Name fewer values, shapes or devices.`,
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
