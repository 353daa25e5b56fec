import { brokenConstraints, type Dtype, resolveVariant, type Variant } from '@tilemark/kernels';
import type { DeviceIdentity } from '../measure/device';
import multiprocessors from './multiprocessors.json';

/** Threads that are scheduled together, on every NVIDIA GPU. */
const WARP = 32;
const KIB = 1024;

/**
 * NVIDIA's multiprocessors, by compute capability: CUDA C++ Programming Guide 13, section "Compute
 * Capabilities", table "Technical Specifications per Compute Capability"; which product has which:
 * https://developer.nvidia.com/cuda-gpus. From 8.0 on, each workgroup loses 1 KiB to the system
 * (NVIDIA Ampere GPU Architecture Tuning Guide). These are CUDA's figures: a driver may give
 * Vulkan less workgroup memory; entries where that was measured say so. Drivers name the product, by
 * `devices`, WebGPU the family if Dawn knows it (one whose products all have these multiprocessors);
 * either may be empty.
 */
const KNOWN = multiprocessors.map(({ devices, ...row }) => ({
  devices: new RegExp(devices),
  ...row,
}));

/** Largest share of a multiprocessor's threads that a workgroup size can occupy. */
export interface Occupancy {
  /** Active over possible subgroups, 0 to 1. */
  readonly part: number;
  readonly activeSubgroups: number;
  readonly maxSubgroups: number;
  /** Workgroups resident on a multiprocessor at once. */
  readonly workgroups: number;
  /** What keeps it from having more of them. */
  readonly limitedBy: 'threads' | 'workgroups' | 'workgroup memory';
}

/** A workgroup as WebGPU knows it. */
interface WorkgroupSize {
  /** Threads. */
  readonly invocations: number;
  /** Of workgroup memory, bytes. */
  readonly workgroupBytes: number;
}

/**
 * Theoretical occupancy on a device whose multiprocessors are known; null ("unknown") on every
 * other. It is an upper bound: registers count too, and WebGPU does not report how many a shader
 * uses. High occupancy hides latency; it does not make a kernel fast by itself.
 */
export function theoreticalOccupancy(
  { vendor, architecture, device }: Pick<DeviceIdentity, 'vendor' | 'architecture' | 'device'>,
  { invocations, workgroupBytes }: WorkgroupSize,
): Occupancy | null {
  if (vendor.toLowerCase() !== 'nvidia') return null;
  const family = architecture.toLowerCase();
  const row =
    KNOWN.find(({ devices }) => devices.test(device)) ??
    KNOWN.find(({ families }) => families.some((name) => name === family));
  if (!row) return null;
  const { threads, workgroups: most, kib, reservedKib } = row;
  const subgroups = Math.ceil(invocations / WARP);
  const maxSubgroups = threads / WARP;
  const room = {
    threads: Math.floor(maxSubgroups / subgroups),
    workgroups: most,
    'workgroup memory': Math.floor((kib * KIB) / (workgroupBytes + reservedKib * KIB)),
  };
  const workgroups = Math.min(...Object.values(room));
  const limits = ['threads', 'workgroups', 'workgroup memory'] as const;
  return {
    part: (workgroups * subgroups) / maxSubgroups,
    activeSubgroups: workgroups * subgroups,
    maxSubgroups,
    workgroups,
    limitedBy: limits.find((limit) => room[limit] === workgroups) ?? 'threads',
  };
}

/** The workgroups of a variant in a dtype; null for host kernels and for tunables that conflict. */
export function workgroupOf({ kernel, tunables }: Variant, dtype: Dtype): WorkgroupSize | null {
  const { definition, tunables: values } = resolveVariant(kernel, tunables);
  if (definition.runsOn !== 'gpu' || brokenConstraints(definition, values).length > 0) return null;
  const { workgroupSize, workgroupBytes } = definition.needs(values, dtype);
  return {
    invocations: workgroupSize.reduce((product, side) => product * side, 1),
    workgroupBytes,
  };
}

/** Theoretical occupancy of a variant in a dtype; null if either is unknown. */
export function variantOccupancy(
  device: Parameters<typeof theoreticalOccupancy>[0],
  variant: Variant,
  dtype: Dtype,
): Occupancy | null {
  const workgroup = workgroupOf(variant, dtype);
  return workgroup && theoreticalOccupancy(device, workgroup);
}
