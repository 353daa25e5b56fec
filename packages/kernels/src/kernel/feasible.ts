import { bufferBytes, bytesText, guardedBytes, largestBuffer } from '../bytes';
import { allTerms } from '../problem/ops';
import type { Problem } from '../problem/problem';
import { faultOf } from '../problem/shape';
import { type GpuKernel, type Kernel, passesOf, type TunableValues, type Variant } from './kernel';
import { featuresWith, featureText } from './specialise';
import { resolveVariant } from './variant';

/** The limits and features of a device that decide what can run on it. */
export interface DeviceLimits {
  readonly features: readonly string[];
  readonly maxComputeInvocationsPerWorkgroup: number;
  readonly maxComputeWorkgroupSizeX: number;
  readonly maxComputeWorkgroupSizeY: number;
  readonly maxComputeWorkgroupSizeZ: number;
  readonly maxComputeWorkgroupStorageSize: number;
  readonly maxComputeWorkgroupsPerDimension: number;
  readonly maxStorageBufferBindingSize: number;
  readonly maxBufferSize: number;
}

export type Feasibility =
  | { readonly ok: true }
  /** Every reason, with numbers and units, as shown to users. */
  | { readonly ok: false; readonly why: string };

/**
 * Whether a device can run a variant on a problem. Which devices run host kernels is up to the
 * caller (`kernel.runsOn`).
 * Throws InputError for a variant that does not exist.
 *
 * @param hasFeature absent: those that the device lists
 */
export function feasible(
  variant: Variant,
  problem: Problem,
  device: DeviceLimits,
  hasFeature = (feature: string) => device.features.includes(feature),
): Feasibility {
  const { definition, tunables } = resolveVariant(variant.kernel, variant.tunables);
  const reasons: string[] = [];
  if (definition.op !== problem.op) {
    reasons.push(`${definition.id} computes ${definition.op}, not ${problem.op}`);
  } else if (!definition.dtypes.includes(problem.dtype)) {
    reasons.push(`${definition.id} supports ${definition.dtypes.join(', ')}, not ${problem.dtype}`);
  } else {
    const fault = faultOf(problem.op, problem.shape, problem.dtype, problem);
    if (fault) reasons.push(fault.reason);
    const unfused = epilogueFault(definition, problem);
    if (unfused !== null) reasons.push(unfused);
    reasons.push(...brokenConstraints(definition, tunables));
    reasons.push(...problemReasons(definition, tunables, problem));
    if (reasons.length === 0) {
      reasons.push(
        ...(definition.runsOn === 'gpu'
          ? deviceReasons(definition, tunables, problem, device, hasFeature)
          : hostReasons(problem)),
      );
    }
  }
  return reasons.length === 0 ? { ok: true } : { ok: false, why: reasons.join('; also ') };
}

/** Why a kernel does not compute the epilogue of a problem, or a problem without one; null: it does. */
export function epilogueFault(kernel: Kernel, { epilogue }: Problem): string | null {
  const { epilogue: only } = kernel;
  if (only === epilogue) return null;
  if (only) return `computes the epilogue ${only}, not ${epilogue ?? 'the product alone'}`;
  const isWritten = kernel.runsOn === 'gpu' && typeof kernel.wgsl !== 'string';
  const fuses = isWritten && kernel.fuses !== false;
  return fuses ? null : 'computes the product alone, without an epilogue';
}

/** Reasons why a combination of tunable values is invalid on any device. */
export function brokenConstraints(kernel: Kernel, values: TunableValues): string[] {
  return kernel.constraints.filter(({ holds }) => !holds(values)).map(({ reason }) => reason);
}

function problemReasons(kernel: Kernel, values: TunableValues, problem: Problem): string[] {
  return (kernel.problemConstraints ?? [])
    .filter((constraint) => !constraint.holds(values, problem))
    .map(({ reason }) => reason);
}

/** Bytes of one array that every JavaScript engine allocates. */
const HOST_ARRAY_BYTES = 2 ** 32;

/** Multiply-adds whose verification takes half a minute: a core does some two in a nanosecond (2026). */
const HOST_WORK = 2 ** 36;

function hostReasons(problem: Problem): string[] {
  const largest = largestBuffer(problem);
  return [
    ...(largest > HOST_ARRAY_BYTES
      ? [`needs ${bytesText(largest)} in one array; a host allows ${bytesText(HOST_ARRAY_BYTES)}`]
      : []),
    ...(allTerms(problem) > HOST_WORK
      ? ['takes more than 4096 × 4096 × 4096 multiply-adds, which the host would have to verify']
      : []),
  ];
}

function deviceReasons(
  kernel: GpuKernel,
  values: TunableValues,
  problem: Problem,
  device: DeviceLimits,
  hasFeature: (feature: string) => boolean,
): string[] {
  const needs = kernel.needs(values, problem.dtype);
  const { workgroupSize, workgroupBytes } = needs;
  const [x, y, z] = workgroupSize;
  const groups = passesOf(kernel, values, problem).flatMap(({ workgroups }) => workgroups);
  const buffers = bufferBytes(problem);
  const scratch = kernel.scratchBytes?.(values, problem) ?? 0;
  const written = Math.max(buffers.output, scratch && guardedBytes(scratch));
  const read = Math.max(...buffers.inputs);
  // The guards behind an input are bound as far as there is room for them.
  const held = Math.max(guardedBytes(read), written);
  const largest = held > device.maxBufferSize ? held : Math.max(read, written);
  const count = (needed: number, limit: number, what: string) =>
    needed > limit ? [`needs ${needed} ${what}; the device allows ${limit}`] : [];
  const size = (needed: number, limit: number, what: string) =>
    needed > limit
      ? [`needs ${bytesText(needed)} ${what}; the device allows ${bytesText(limit)}`]
      : [];
  return [
    ...featuresWith(needs, problem.dtype)
      .filter((feature) => !hasFeature(feature))
      .map((feature) => `needs ${featureText(feature)}, which the device does not have`),
    ...count(x * y * z, device.maxComputeInvocationsPerWorkgroup, 'threads per workgroup'),
    ...count(x, device.maxComputeWorkgroupSizeX, 'threads along x'),
    ...count(y, device.maxComputeWorkgroupSizeY, 'threads along y'),
    ...count(z, device.maxComputeWorkgroupSizeZ, 'threads along z'),
    ...size(workgroupBytes, device.maxComputeWorkgroupStorageSize, 'of workgroup memory'),
    ...count(
      Math.max(...groups),
      device.maxComputeWorkgroupsPerDimension,
      'workgroups in one dimension',
    ),
    ...size(
      largest,
      Math.min(device.maxStorageBufferBindingSize, device.maxBufferSize),
      'in one buffer',
    ),
  ];
}
