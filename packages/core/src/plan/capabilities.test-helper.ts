import type { DeviceCapabilities } from '../measure/device';

export const MiB = 2 ** 20;

/** What every WebGPU device can do (the default limits), and buffers of 256 MiB. */
export const capabilities: DeviceCapabilities = {
  features: [],
  maxComputeInvocationsPerWorkgroup: 256,
  maxComputeWorkgroupSizeX: 256,
  maxComputeWorkgroupSizeY: 256,
  maxComputeWorkgroupSizeZ: 64,
  maxComputeWorkgroupStorageSize: 16_384,
  maxComputeWorkgroupsPerDimension: 65_535,
  maxStorageBufferBindingSize: 128 * MiB,
  maxBufferSize: 256 * MiB,
};
