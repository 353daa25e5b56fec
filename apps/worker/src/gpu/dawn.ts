import { createRequire } from 'node:module';
import type { DeviceCapabilities, DeviceIdentity, OpenDevice, Profile } from '@tilemark/core';
import { createGpuExecutor, type HostPool } from '@tilemark/kernels';
import { create } from 'webgpu';
import { z } from 'zod';
import { version } from '../../package.json';
import { type Machine, thisMachine } from '../device/host';
import { readNvidiaClocks, watchNvidiaClocks } from './nvidia-smi';

/**
 * Dawn's door: the only file that imports `webgpu`. It lists the adapters of this machine and
 * opens one as an `OpenDevice` under the toggles of a profile.
 */

/** A GPU or software adapter that Dawn found. Dawn opens adapters by name. */
export interface Adapter {
  readonly name: string;
  readonly backend: string;
}

interface Toggles {
  readonly enabled: readonly string[];
  readonly disabled: readonly string[];
}

/**
 * Timestamps are exact in both profiles: Dawn would round them to 65,536 ns.
 * `fast` turns off what a browser must keep on, bounds checks and zeroed
 * workgroup memory, and offers f16 even if Dawn does not trust the driver.
 */
const TOGGLES: Readonly<Record<Profile, Toggles>> = {
  default: { enabled: [], disabled: ['timestamp_quantization'] },
  fast: {
    enabled: [
      'disable_robustness',
      'disable_workgroup_init',
      'vulkan_enable_f16_on_nvidia',
      // Subgroup matrices are experimental and count as unsafe.
      'allow_unsafe_apis',
    ],
    disabled: ['timestamp_quantization'],
  },
};

/** Features that kernels or timing use; requested if the adapter has them. */
const FEATURES: readonly string[] = [
  'timestamp-query',
  'shader-f16',
  'subgroups',
  'chromium-experimental-subgroup-matrix',
];

/** The adapters of this machine, each name once: Dawn cannot tell equal GPUs apart. */
export async function listAdapters(): Promise<Adapter[]> {
  // Asked for a name that does not exist, Dawn answers with those that do.
  const error: unknown = await create(['adapter=?'])
    .requestAdapter()
    .then(
      () => null,
      (reason) => reason,
    );
  const listing = error instanceof Error ? error.message : '';
  const adapters = [...listing.matchAll(/backend: '([^']+)', name: '([^\n]+)'/g)].map(
    ([, backend = '', name = '']) => ({ backend, name }),
  );
  return adapters.filter(
    (adapter, index) => adapters.findIndex((each) => each.name === adapter.name) === index,
  );
}

/** An adapter's identity on the board, without opening a device. */
export async function identify(adapter: Adapter): Promise<DeviceIdentity> {
  const { info } = (await requestAdapter(adapter, 'default')).adapter;
  return identityOf(adapter, info, await thisMachine());
}

/** Opens an adapter with every limit it has, under the toggles of a profile. */
export async function openGpu(
  choice: Adapter,
  profile: Profile,
  pool: HostPool,
): Promise<OpenDevice> {
  const { gpu, adapter } = await requestAdapter(choice, profile);
  const machine = await thisMachine();
  const { info } = adapter;
  const device = await adapter.requestDevice({
    requiredFeatures: [...adapter.features].filter((feature): feature is GPUFeatureName =>
      FEATURES.includes(feature),
    ),
    requiredLimits: largestLimits(adapter.limits),
  });
  const identity = identityOf(choice, info, machine);
  const capabilities = capabilitiesOf(device, info);
  keepAlive.add(gpu);
  return {
    executor: await createGpuExecutor(device, pool),
    readClocks: async () => (identity.vendor === 'nvidia' ? readNvidiaClocks(choice.name) : null),
    ...(identity.vendor === 'nvidia' && { watchClocks: () => watchNvidiaClocks(choice.name) }),
    identity,
    capabilities,
    // A software adapter's memory is the host's.
    lastLevelCacheBytes: identity.class === 'software' ? machine.lastLevelCacheBytes : null,
    environment: {
      device: identity,
      capabilities,
      profile,
      driver: info.description,
      toggles: {
        enabled: [...TOGGLES[profile].enabled],
        disabled: [...TOGGLES[profile].disabled],
      },
      runtimeVersions: { node: process.versions.node, webgpu: webgpuVersion() },
      os: machine.os,
      cpu: machine.cpu,
      memoryBytes: machine.memoryBytes,
      tilemarkVersion: version,
    },
  };
}

/** Dawn lives only while its GPU object is referenced; an open device needs it until the process ends. */
const keepAlive = new Set<GPU>();

async function requestAdapter({ name, backend }: Adapter, profile: Profile) {
  const { enabled, disabled } = TOGGLES[profile];
  const gpu = create([
    `backend=${backend}`,
    `adapter=${name}`,
    ...(enabled.length > 0 ? [`enable-dawn-features=${enabled.join(',')}`] : []),
    ...(disabled.length > 0 ? [`disable-dawn-features=${disabled.join(',')}`] : []),
  ]);
  const adapter = await gpu.requestAdapter();
  if (!adapter) throw new Error(`Dawn no longer finds the adapter ${name} (${backend}).`);
  return { gpu, adapter };
}

/**
 * A software adapter is as fast as the CPU below it, so that is part of its name:
 * equal identities have to measure the same thing.
 */
function identityOf(
  { name, backend }: Adapter,
  info: GPUAdapterInfo,
  { cpu }: Machine,
): DeviceIdentity {
  const isSoftware = info.isFallbackAdapter || info.architecture === 'software';
  return {
    vendor: info.vendor || 'unknown',
    architecture: info.architecture,
    device: isSoftware ? `${name} on ${cpu.model} (${cpu.cores} cores)` : name,
    backend,
    runtime: 'dawn',
    class: isSoftware ? 'software' : 'gpu',
  };
}

/** Limits that grow with the device; alignments (`min...`) stay at their defaults. */
function largestLimits(limits: GPUSupportedLimits): Record<string, number> {
  const names = Object.keys(Object.getOwnPropertyDescriptors(Object.getPrototypeOf(limits)));
  return Object.fromEntries(
    names
      .filter((name) => name.startsWith('max'))
      .map((name) => [name, Number(Reflect.get(limits, name))]),
  );
}

function capabilitiesOf({ features, limits }: GPUDevice, info: GPUAdapterInfo): DeviceCapabilities {
  const abilities = features.has('subgroups') ? subgroupAbilities(info) : [];
  return {
    features: [...features, ...abilities].sort(),
    maxComputeInvocationsPerWorkgroup: limits.maxComputeInvocationsPerWorkgroup,
    maxComputeWorkgroupSizeX: limits.maxComputeWorkgroupSizeX,
    maxComputeWorkgroupSizeY: limits.maxComputeWorkgroupSizeY,
    maxComputeWorkgroupSizeZ: limits.maxComputeWorkgroupSizeZ,
    maxComputeWorkgroupStorageSize: limits.maxComputeWorkgroupStorageSize,
    maxComputeWorkgroupsPerDimension: limits.maxComputeWorkgroupsPerDimension,
    maxStorageBufferBindingSize: limits.maxStorageBufferBindingSize,
    maxBufferSize: limits.maxBufferSize,
  };
}

/** Dawn's, not yet in the standard's types. */
const matrixConfigsSchema = z.array(
  z.object({
    componentType: z.string(),
    resultComponentType: z.string(),
    M: z.number(),
    N: z.number(),
    K: z.number(),
  }),
);

/**
 * What kernels need of subgroups beyond WebGPU's features, named like features:
 * the size, if it is fixed, and each shape of matrix multiplication.
 */
function subgroupAbilities(info: GPUAdapterInfo): string[] {
  const { subgroupMinSize, subgroupMaxSize } = info;
  const { data: configs = [] } = matrixConfigsSchema.safeParse([
    ...(Reflect.get(info, 'subgroupMatrixConfigs') ?? []),
  ]);
  return [
    ...(subgroupMinSize === subgroupMaxSize ? [`subgroup-size-${subgroupMinSize}`] : []),
    ...configs.map(
      ({ componentType, resultComponentType, M, N, K }) =>
        `subgroup-matrix-${resultComponentType}-${componentType}-${M}x${N}x${K}`,
    ),
  ];
}

function webgpuVersion(): string {
  const manifest: unknown = createRequire(import.meta.url)('webgpu/package.json');
  const version = manifest && typeof manifest === 'object' && Reflect.get(manifest, 'version');
  return typeof version === 'string' ? version : 'unknown';
}
