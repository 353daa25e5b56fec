import { afterAll, beforeAll } from 'vitest';
import { create } from 'webgpu';
import type { Executor } from '../executor';
import type { DeviceLimits } from '../kernel/feasible';
import { createGpuExecutor } from './executor';
import { pacePolling } from './polling';
import { SIZE_CONTROL, subgroupSizes } from './subgroup-size';

/** Features that kernels can use. */
const WANTED: readonly string[] = [
  'timestamp-query',
  'shader-f16',
  'subgroups',
  SIZE_CONTROL,
  'chromium-experimental-subgroup-matrix',
];

/** Every GPU object of this process: Dawn crashes if one is collected before its devices. */
const opened: GPU[] = [];

/**
 * Opens the first adapter with its maximum limits, or with those that every device has, and without
 * timestamp quantisation.
 */
export async function openDevice(
  toggles = ['disable-dawn-features=timestamp_quantization'],
  { isSmall = false } = {},
): Promise<{ gpu: GPU; device: GPUDevice }> {
  pacePolling();
  const gpu = create(toggles);
  opened.push(gpu);
  const adapter = await gpu.requestAdapter();
  if (!adapter) throw new Error('no GPU adapter: install mesa-vulkan-drivers 25 or newer');
  const { limits } = adapter;
  const device = await adapter.requestDevice({
    requiredFeatures: [...adapter.features].filter((feature): feature is GPUFeatureName =>
      WANTED.includes(feature),
    ),
    requiredLimits: isSmall
      ? {}
      : {
          maxComputeInvocationsPerWorkgroup: limits.maxComputeInvocationsPerWorkgroup,
          maxComputeWorkgroupSizeX: limits.maxComputeWorkgroupSizeX,
          maxComputeWorkgroupSizeY: limits.maxComputeWorkgroupSizeY,
          maxComputeWorkgroupStorageSize: limits.maxComputeWorkgroupStorageSize,
          maxStorageBufferBindingSize: limits.maxStorageBufferBindingSize,
          maxBufferSize: limits.maxBufferSize,
        },
  });
  return { gpu, device };
}

/** The limits of an open device that `feasible` reads. */
export function limitsOf({ limits, features, adapterInfo }: GPUDevice): DeviceLimits {
  return {
    features: [
      ...features,
      ...subgroupSizes(adapterInfo, features),
      // Of Dawn, whatever its device.
      ...(opened[0]?.wgslLanguageFeatures ?? []),
    ],
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

/** One executor shared by the tests of a file. */
export function useExecutor(): { readonly executor: Executor; readonly device: GPUDevice } {
  let open: { gpu: GPU; device: GPUDevice } | undefined;
  let executor: Executor | undefined;
  beforeAll(async () => {
    open = await openDevice();
    executor = await createGpuExecutor(open.device);
  });
  afterAll(() => {
    executor?.destroy();
    open?.device.destroy();
    open = undefined;
  });
  return {
    get executor() {
      if (!executor) throw new Error('the device is not open yet');
      return executor;
    },
    get device() {
      if (!open) throw new Error('the device is not open yet');
      return open.device;
    },
  };
}
