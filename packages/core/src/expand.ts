import {
  brokenConstraints,
  bufferBytes,
  bytesText,
  combinations,
  type Dtype,
  feasible,
  featuresOf,
  InputError,
  type Kernel,
  kernelById,
  type OpId,
  opById,
  type Problem,
  resolveVariant,
  type Shape,
  shapeText,
  type Variant,
} from '@tilemark/kernels';
import type { DeviceCapabilities, DeviceClass, Profile } from './device';
import { type Pace, secondsOf } from './pace';
import type { PolicyId } from './policy';
import { MAX_RUNS_PER_SWEEP, type SweepCase, type SweepSpec } from './spec';

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

/** Host kernels run on CPUs, GPU kernels on everything else. */
export function runsOnDevice(kernel: Kernel, device: Pick<PlannableDevice, 'class'>): boolean {
  return (kernel.runsOn === 'cpu') === (device.class === 'cpu');
}

/** Whether a case is run on a device: its kernel runs there, and its `onlyOn` allows it. */
function isFor({ onlyOn }: SweepCase, kernel: Kernel, device: PlannableDevice): boolean {
  const isMeant = onlyOn?.some((beginning) => device.key.startsWith(beginning)) ?? true;
  return isMeant && runsOnDevice(kernel, device);
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

/** Checks every field; returns the chosen devices. */
function checkSpec(spec: SweepSpec, devices: readonly PlannableDevice[]): PlannableDevice[] {
  const chosen = chooseDevices(spec, devices);
  for (const [index, each] of spec.cases.entries()) checkCase(each, `cases[${index}]`, chosen);
  return chosen;
}

function chooseDevices(spec: SweepSpec, devices: readonly PlannableDevice[]): PlannableDevice[] {
  if (devices.length === 0) {
    throw new InputError(
      'There is no device yet. Attach one with `tilemark worker`, then submit again.',
      'devices',
    );
  }
  if (!spec.devices) return [...devices];
  return [...new Set(spec.devices)].map((key, index) => {
    const device = devices.find((each) => each.key === key);
    if (device) return device;
    const known = devices.map((each) => each.key).join(', ');
    throw new InputError(`There is no device ${key}; there are: ${known}.`, `devices[${index}]`);
  });
}

function checkCase(each: SweepCase, path: string, devices: readonly PlannableDevice[]): void {
  const kernel = kernelById(each.kernel, `${path}.kernel`);
  for (const [name, values] of Object.entries(each.tunables)) {
    for (const value of values) resolveVariant(each.kernel, { [name]: value }, path);
  }
  for (const [index, dtype] of each.dtypes.entries()) {
    if (kernel.dtypes.includes(dtype)) continue;
    throw new InputError(
      `${kernel.id} has no ${dtype}; it has: ${kernel.dtypes.join(', ')}.`,
      `${path}.dtypes[${index}]`,
    );
  }
  for (const [index, shape] of each.shapes.entries()) {
    checkShape(shape, `${path}.shapes[${index}]`, each, kernel, devices);
  }
}

function checkShape(
  shape: Shape,
  field: string,
  each: SweepCase,
  kernel: Kernel,
  devices: readonly PlannableDevice[],
): void {
  const sizes = each.dtypes.map((dtype) => {
    const problem = problemOf(kernel.op, shape, dtype);
    if (!problem) {
      const dimensions = opById(kernel.op).dimensions.join(', ').toLowerCase();
      throw new InputError(
        `${kernel.id} is a ${kernel.op}: its shapes have ${dimensions}, not ${Object.keys(shape).join(', ')}.`,
        field,
      );
    }
    const { inputs, output } = bufferBytes(problem);
    return { problem, bytes: Math.max(...inputs, output) };
  });

  const limits = devices
    .filter((device) => isFor(each, kernel, device))
    .map(({ capabilities }) =>
      capabilities
        ? Math.min(capabilities.maxStorageBufferBindingSize, capabilities.maxBufferSize)
        : Number.POSITIVE_INFINITY,
    );
  const [smallest] = sizes.toSorted((a, b) => a.bytes - b.bytes);
  const largestLimit = Math.max(...limits);
  if (limits.length > 0 && smallest && smallest.bytes > largestLimit) {
    throw new InputError(
      `${shapeText(smallest.problem)} ${smallest.problem.dtype} needs ${bytesText(smallest.bytes)} in one buffer; the most that a chosen device allows is ${bytesText(largestLimit)}.`,
      field,
    );
  }
}

/** Runs before duplicates go; a product of lengths, because the runs themselves may not fit in memory. */
function countWithDuplicates(spec: SweepSpec, devices: readonly PlannableDevice[]): number {
  return spec.cases.reduce((total, each) => {
    const kernel = kernelById(each.kernel);
    const variants = Object.values(each.tunables).reduce((n, values) => n * values.length, 1);
    const pairs = devices
      .filter((device) => isFor(each, kernel, device))
      .reduce((n, device) => n + profilesOf(spec, device).length, 0);
    return total + variants * each.shapes.length * each.dtypes.length * pairs;
  }, 0);
}

function planRuns(spec: SweepSpec, devices: readonly PlannableDevice[]): PlannedRun[] {
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
function problemOf(op: OpId, shape: Shape, dtype: Dtype): Problem | null {
  if (op === 'matmul') return 'm' in shape ? { op, shape, dtype } : null;
  return 'rows' in shape ? { op, shape, dtype } : null;
}
