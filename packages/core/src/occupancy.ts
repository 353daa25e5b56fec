import { brokenConstraints, type Dtype, resolveVariant, type Variant } from '@tilemark/kernels';
import type { DeviceIdentity } from './device';

/** What a multiprocessor holds at once. */
interface Multiprocessor {
  readonly threads: number;
  readonly workgroups: number;
  readonly workgroupBytes: number;
  /** Workgroup memory that the system keeps of each workgroup, bytes. */
  readonly reservedBytes: number;
}

/** Threads that are scheduled together, on every NVIDIA GPU. */
const WARP = 32;

/** Drivers name the product; WebGPU adds the family, where Dawn knows it. Either may be empty. */
interface KnownArchitecture {
  readonly devices: RegExp;
  /** Families that have these multiprocessors in all their products. */
  readonly families: readonly string[];
  readonly multiprocessor: Multiprocessor;
}

const KIB = 1024;

/**
 * NVIDIA's, by compute capability: CUDA C++ Programming Guide 13, section "Compute Capabilities",
 * table "Technical Specifications per Compute Capability"; which product has which:
 * https://developer.nvidia.com/cuda-gpus. Of 8.0 and newer each workgroup loses 1 KiB to the system
 * (NVIDIA Ampere GPU Architecture Tuning Guide). Those are CUDA's: a driver may give Vulkan less
 * workgroup memory, which has been measured where it says so.
 */
const KNOWN: readonly KnownArchitecture[] = [
  // 7.5, Turing
  {
    devices: /\b(RTX 20[678]0|GTX 16\d\d|TITAN RTX|Tesla T4|Quadro RTX \d000)\b/,
    families: ['turing'],
    multiprocessor: { threads: 1024, workgroups: 16, workgroupBytes: 64 * KIB, reservedBytes: 0 },
  },
  // 8.0, Ampere for data centres
  {
    devices: /\b(A100|A800|A30)\b/,
    families: [],
    multiprocessor: {
      threads: 2048,
      workgroups: 32,
      workgroupBytes: 164 * KIB,
      reservedBytes: KIB,
    },
  },
  // 8.6, Ampere
  {
    devices: /\b(RTX 30\d\d|A2|A10|A16|A40|RTX A\d{3,4})\b/,
    families: [],
    multiprocessor: {
      threads: 1536,
      workgroups: 16,
      workgroupBytes: 100 * KIB,
      reservedBytes: KIB,
    },
  },
  // 8.9, Ada Lovelace
  {
    devices: /\b(RTX 40\d\d|L4|L40S?|RTX \d000 Ada)\b/,
    families: ['lovelace'],
    multiprocessor: {
      threads: 1536,
      workgroups: 24,
      workgroupBytes: 100 * KIB,
      reservedBytes: KIB,
    },
  },
  // 9.0, Hopper, through Vulkan: docs/results/occupancy-h200.md
  {
    devices: /\bH200\b/,
    families: [],
    multiprocessor: { threads: 2048, workgroups: 32, workgroupBytes: 48 * KIB, reservedBytes: 0 },
  },
  // 9.0, Hopper
  {
    devices: /\b(H100|H20|H800|GH200)\b/,
    families: ['hopper'],
    multiprocessor: {
      threads: 2048,
      workgroups: 32,
      workgroupBytes: 228 * KIB,
      reservedBytes: KIB,
    },
  },
  // 10.0, Blackwell for data centres
  {
    devices: /\b(B200|GB200)\b/,
    families: [],
    multiprocessor: {
      threads: 2048,
      workgroups: 32,
      workgroupBytes: 228 * KIB,
      reservedBytes: KIB,
    },
  },
  // 12.0, Blackwell
  {
    devices: /\b(RTX 50\d\d|RTX PRO \d000 Blackwell)\b/,
    families: [],
    multiprocessor: {
      threads: 1536,
      workgroups: 24,
      workgroupBytes: 100 * KIB,
      reservedBytes: KIB,
    },
  },
];

/** How much of a multiprocessor's room for threads a workgroup size can fill at most. */
export interface Occupancy {
  /** Active over possible subgroups, 0 to 1. */
  readonly part: number;
  readonly activeSubgroups: number;
  readonly maxSubgroups: number;
  /** Workgroups that live on a multiprocessor at once. */
  readonly workgroups: number;
  /** What keeps it from holding more of them. */
  readonly limitedBy: 'threads' | 'workgroups' | 'workgroup memory';
}

/** What WebGPU knows of a workgroup. */
export interface WorkgroupSize {
  /** Threads. */
  readonly invocations: number;
  /** Of workgroup memory, bytes. */
  readonly workgroupBytes: number;
}

/**
 * Theoretical occupancy of a device whose multiprocessors are known; null ("unknown") for every
 * other. Registers count too, and WebGPU does not tell how many a shader takes: it is an upper
 * bound. High occupancy hides latency; it does not make a kernel fast by itself.
 */
export function theoreticalOccupancy(
  { vendor, architecture, device }: Pick<DeviceIdentity, 'vendor' | 'architecture' | 'device'>,
  { invocations, workgroupBytes }: WorkgroupSize,
): Occupancy | null {
  if (vendor.toLowerCase() !== 'nvidia') return null;
  const family = architecture.toLowerCase();
  const known =
    KNOWN.find(({ devices }) => devices.test(device)) ??
    KNOWN.find(({ families }) => families.includes(family));
  if (!known) return null;
  const holds = known.multiprocessor;

  const subgroups = Math.ceil(invocations / WARP);
  const maxSubgroups = holds.threads / WARP;
  const room = {
    threads: Math.floor(maxSubgroups / subgroups),
    workgroups: holds.workgroups,
    'workgroup memory': Math.floor(holds.workgroupBytes / (workgroupBytes + holds.reservedBytes)),
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

/** The workgroups of a variant in a dtype; null for host kernels and tunables that make no sense together. */
export function workgroupOf({ kernel, tunables }: Variant, dtype: Dtype): WorkgroupSize | null {
  const { definition, tunables: values } = resolveVariant(kernel, tunables);
  if (definition.runsOn !== 'gpu' || brokenConstraints(definition, values).length > 0) return null;
  const { workgroupSize, workgroupBytes } = definition.needs(values, dtype);
  return {
    invocations: workgroupSize.reduce((product, side) => product * side, 1),
    workgroupBytes,
  };
}

/** Theoretical occupancy of a variant in a dtype; null where either is not known. */
export function variantOccupancy(
  device: Parameters<typeof theoreticalOccupancy>[0],
  variant: Variant,
  dtype: Dtype,
): Occupancy | null {
  const workgroup = workgroupOf(variant, dtype);
  return workgroup && theoreticalOccupancy(device, workgroup);
}
