import { type DeviceClass, type DeviceIdentity, deviceKey, type Profile } from '@tilemark/core';
import {
  brokenConstraints,
  type Dtype,
  KERNELS,
  type Kernel,
  type OpId,
  opById,
  type Problem,
  parseShape,
  resolveVariant,
  type TunableValues,
} from '@tilemark/kernels';

/** What a synthetic grid has measured: all made up, and named so that nobody takes it for real. */

export interface SyntheticDevice {
  readonly key: string;
  readonly identity: DeviceIdentity;
  /** Times relative to those of the fastest device. */
  readonly pace: number;
}

/** Devices by class: the part of all of them up to which one is of this class. */
const CLASSES: readonly { kind: DeviceClass; title: string; upTo: number; pace: number }[] = [
  { kind: 'gpu', title: 'Synthetic GPU', upTo: 0.75, pace: 1 },
  { kind: 'browser', title: 'Synthetic browser GPU', upTo: 0.85, pace: 2 },
  { kind: 'software', title: 'Synthetic software adapter', upTo: 0.95, pace: 200 },
  { kind: 'cpu', title: 'Synthetic CPU', upTo: 1, pace: 400 },
];
const VENDORS = ['synthetic-a', 'synthetic-b', 'synthetic-c', 'synthetic-d'];
const ARCHITECTURES = 12;

/** `count` devices of four vendors, most of them GPUs. */
export const syntheticDevices = (count: number): SyntheticDevice[] =>
  Array.from({ length: count }, (_, index) => index).flatMap((index) =>
    CLASSES.filter(({ upTo }) => index < upTo * count)
      .slice(0, 1)
      .map(({ kind, title, pace }) => {
        const identity: DeviceIdentity = {
          vendor: VENDORS[index % VENDORS.length] ?? 'synthetic',
          architecture: `generation-${index % ARCHITECTURES}`,
          device: `${title} ${String(index + 1).padStart(3, '0')}`,
          backend: kind === 'cpu' ? 'host' : 'vulkan',
          runtime: kind === 'cpu' ? 'node' : kind === 'browser' ? 'chrome' : 'dawn',
          class: kind,
        };
        return { key: deviceKey(identity), identity, pace: pace * (1 + ((index * 37) % 101) / 20) };
      }),
  );

/** One variant on one problem under one profile. */
export interface SyntheticCase {
  readonly runsOn: Kernel['runsOn'];
  readonly kernel: string;
  readonly address: string;
  readonly tunables: TunableValues;
  readonly op: OpId;
  readonly dtype: Dtype;
  readonly shape: string;
  readonly profile: Profile;
  /** Median on a device of pace 1. */
  readonly ns: number;
  readonly roofNs: number;
}

const PROBLEMS: readonly { op: OpId; dtype: Dtype; shapes: string[]; profiles: Profile[] }[] = [
  {
    op: 'matmul',
    dtype: 'f32',
    shapes: ['4096', '2048', '1024', '1000', '512', '256', '4096x4096x64', '64x4096x4096'],
    profiles: ['default', 'fast'],
  },
  { op: 'matmul', dtype: 'f16', shapes: ['4096', '2048'], profiles: ['fast'] },
  { op: 'matmul', dtype: 'i32', shapes: ['1024'], profiles: ['default'] },
  {
    op: 'transpose',
    dtype: 'f32',
    shapes: ['8192', '4096', '3072x4096', '1000'],
    profiles: ['default', 'fast'],
  },
];
const VARIANTS_PER_KERNEL = 4;
const PEAK_GFLOPS = 40_000;
const PEAK_GB_PER_S = 3_000;

/** Variants of every registered kernel on every problem it supports. */
export const syntheticCases = (): SyntheticCase[] =>
  PROBLEMS.flatMap(({ op, dtype, shapes, profiles }) =>
    KERNELS.filter((kernel) => kernel.op === op && kernel.dtypes.includes(dtype)).flatMap(
      (kernel) =>
        someVariants(kernel).flatMap(({ address, tunables }, which) =>
          shapes.flatMap((text) => {
            const problem = { op, dtype, shape: parseShape(op, text) } as Problem;
            const roofNs = roofOf(problem);
            // A rung is faster than the one below it, up to about 80% of the roof.
            const part = 0.15 + (0.6 * Math.min(kernel.rung, 6)) / 6 - 0.03 * which;
            return profiles.map((profile) => ({
              ...{ runsOn: kernel.runsOn, kernel: kernel.id, address, tunables },
              ...{ op, dtype, shape: text, profile, roofNs },
              ns: (roofNs / part) * (profile === 'fast' ? 0.95 : 1),
            }));
          }),
        ),
    ),
  );

function roofOf({ op, shape, dtype }: Problem): number {
  const definition = opById(op);
  return Math.max(
    definition.flops(shape) / PEAK_GFLOPS,
    definition.bytes(shape, dtype) / PEAK_GB_PER_S,
  );
}

/** The default variant, and variants that differ from it in one tunable. */
function someVariants(kernel: Kernel) {
  const choices = kernel.tunables.flatMap(({ name, values }) =>
    values.map((value) => ({ [name]: value })),
  );
  const variants = [{}, ...choices].map((tunables) => resolveVariant(kernel.id, tunables));
  const distinct = new Map(variants.map((variant) => [variant.address, variant]));
  return [...distinct.values()]
    .filter(({ tunables }) => brokenConstraints(kernel, tunables).length === 0)
    .slice(0, VARIANTS_PER_KERNEL);
}
