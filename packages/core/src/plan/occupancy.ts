import { brokenConstraints, type Dtype, resolveVariant, type Variant } from '@tilemark/kernels';
import type { DeviceIdentity } from '../measure/device';

/** Threads that are scheduled together, on every NVIDIA GPU. */
const WARP = 32;
const KIB = 1024;

/**
 * Drivers name the product, WebGPU the family if Dawn knows it (one whose products all have these
 * multiprocessors); either may be empty. Of a multiprocessor: threads, workgroups, workgroup memory
 * and what of it is reserved per workgroup, KiB.
 */
type KnownArchitecture = readonly [
  devices: RegExp,
  families: readonly string[],
  multiprocessor: readonly [threads: number, workgroups: number, kib: number, reservedKib: number],
];

/**
 * NVIDIA's, by compute capability: CUDA C++ Programming Guide 13, section "Compute Capabilities",
 * table "Technical Specifications per Compute Capability"; which product has which:
 * https://developer.nvidia.com/cuda-gpus. From 8.0 on, each workgroup loses 1 KiB to the system
 * (NVIDIA Ampere GPU Architecture Tuning Guide). These are CUDA's figures: a driver may give
 * Vulkan less workgroup memory; entries where that was measured say so.
 */
const KNOWN: readonly KnownArchitecture[] = [
  // 7.5, Turing
  [
    /\b(RTX 20[678]0|GTX 16\d\d|TITAN RTX|Tesla T4|Quadro RTX \d000)\b/,
    ['turing'],
    [1024, 16, 64, 0],
  ],
  // 8.0, Ampere for data centres
  [/\b(A100|A800|A30)\b/, [], [2048, 32, 164, 1]],
  // 8.6, Ampere
  [/\b(RTX 30\d\d|A2|A10|A16|A40|RTX A\d{3,4})\b/, [], [1536, 16, 100, 1]],
  // 8.9, Ada Lovelace
  [/\b(RTX 40\d\d|L4|L40S?|RTX \d000 Ada)\b/, ['lovelace'], [1536, 24, 100, 1]],
  // 9.0, Hopper, through Vulkan: docs/results/occupancy-h200.md
  [/\bH200\b/, [], [2048, 32, 48, 0]],
  // 9.0, Hopper
  [/\b(H100|H20|H800|GH200)\b/, ['hopper'], [2048, 32, 228, 1]],
  // 10.0, Blackwell for data centres
  [/\b(B200|GB200)\b/, [], [2048, 32, 228, 1]],
  // 12.0, Blackwell
  [/\b(RTX 50\d\d|RTX PRO \d000 Blackwell)\b/, [], [1536, 24, 100, 1]],
];

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

/** What WebGPU knows about a workgroup. */
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
  const known =
    KNOWN.find(([devices]) => devices.test(device)) ??
    KNOWN.find(([, families]) => families.includes(family));
  if (!known) return null;
  const [threads, most, kib, reservedKib] = known[2];
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
