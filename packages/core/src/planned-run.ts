import {
  combinations,
  type Dtype,
  type Kernel,
  kernelById,
  type OpId,
  type Problem,
  resolveVariant,
  type Shape,
  shapeText,
  type Variant,
} from '@tilemark/kernels';
import type { DeviceCapabilities, DeviceClass, Profile } from './device';
import type { PolicyId } from './policy';
import type { SweepCase, SweepSpec } from './spec';

/** One run to be: a variant on a problem, under a profile and policy, for a device. */
export interface PlannedRun {
  readonly variant: Variant;
  /** Canonical address of the variant. */
  readonly address: string;
  readonly problem: Problem;
  readonly profile: Profile;
  readonly policy: PolicyId;
  readonly deviceKey: string;
}

/** What a sweep has to know of a device to plan runs for it. */
export interface PlannableDevice {
  readonly key: string;
  readonly class: DeviceClass;
  /** Absent where only the count matters: then no run is known to be skipped by this device. */
  readonly capabilities?: DeviceCapabilities | undefined;
}

/** Host kernels run on CPUs, GPU kernels on everything else. */
export function runsOnDevice(kernel: Kernel, device: Pick<PlannableDevice, 'class'>): boolean {
  return (kernel.runsOn === 'cpu') === (device.class === 'cpu');
}

/** Whether a case is run on a device: its kernel runs there, and its `onlyOn` allows it. */
export function isFor({ onlyOn }: SweepCase, kernel: Kernel, device: PlannableDevice): boolean {
  const isMeant = onlyOn?.some((beginning) => device.key.startsWith(beginning)) ?? true;
  return isMeant && runsOnDevice(kernel, device);
}

/** Every run of the cases on the devices given; one that is asked for twice is there once. */
export function planRuns(spec: SweepSpec, devices: readonly PlannableDevice[]): PlannedRun[] {
  const runs = new Map<string, PlannedRun>();
  for (const each of spec.cases) {
    const kernel = kernelById(each.kernel);
    const able = devices.filter((device) => isFor(each, kernel, device));
    for (const problem of problemsOf(each, kernel.op)) {
      for (const values of combinations(each.tunables)) {
        const { tunables, address } = resolveVariant(each.kernel, values);
        for (const device of able) {
          for (const profile of profilesOf(spec, device)) {
            const identity = [address, shapeText(problem), problem.dtype, device.key, profile];
            runs.set(identity.join(' '), {
              variant: { kernel: each.kernel, tunables },
              address,
              problem,
              profile,
              policy: spec.policy,
              deviceKey: device.key,
            });
          }
        }
      }
    }
  }
  return [...runs.values()];
}

/** Profiles are toggle sets of Dawn, which the host CPU does not go through. */
function profilesOf(spec: SweepSpec, device: PlannableDevice): readonly Profile[] {
  return device.class === 'cpu' ? ['default'] : [...new Set(spec.profiles)];
}

function problemsOf({ shapes, dtypes }: SweepCase, op: OpId): Problem[] {
  return shapes
    .flatMap((shape) => dtypes.map((dtype) => problemOf(op, shape, dtype)))
    .filter((problem) => problem !== null);
}

/** Null when the shape is another op's. */
export function problemOf(op: OpId, shape: Shape, dtype: Dtype): Problem | null {
  if (op === 'matmul') return 'm' in shape ? { op, shape, dtype } : null;
  return 'rows' in shape ? { op, shape, dtype } : null;
}

/** Runs before duplicates go; a product of lengths, because the runs themselves may not fit in memory. */
export function countWithDuplicates(spec: SweepSpec, devices: readonly PlannableDevice[]): number {
  return spec.cases.reduce((total, each) => {
    const kernel = kernelById(each.kernel);
    const variants = Object.values(each.tunables).reduce((n, values) => n * values.length, 1);
    const pairs = devices
      .filter((device) => isFor(each, kernel, device))
      .reduce((n, device) => n + profilesOf(spec, device).length, 0);
    return total + variants * each.shapes.length * each.dtypes.length * pairs;
  }, 0);
}
