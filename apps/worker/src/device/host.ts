import { constants } from 'node:buffer';
import type { DeviceCapabilities, DeviceIdentity } from '@tilemark/core';
import { createHostExecutor, type HostPool } from '@tilemark/kernels';
import { VERSION } from '../version';
import type { OpenDevice } from './device';
import { type Machine, thisMachine } from './machine';

/** The CPU of this machine, the baseline that speed-ups over the host are taken from. */
export function hostIdentity({ cpu, arch }: Machine): DeviceIdentity {
  const vendor = /\b(AMD|Intel|Apple|ARM|Ampere|Qualcomm)\b/i.exec(cpu.model)?.[1] ?? 'unknown';
  return {
    vendor: vendor.toLowerCase(),
    architecture: arch,
    device: `${cpu.model} (${cpu.cores} ${cpu.cores === 1 ? 'core' : 'cores'})`,
    backend: 'host',
    runtime: 'node',
    class: 'cpu',
  };
}

/** @param pool the threads of its parallel kernels */
export async function openHost(pool: HostPool): Promise<OpenDevice> {
  const machine = await thisMachine();
  const identity = hostIdentity(machine);
  const capabilities = hostCapabilities(machine);
  return {
    executor: createHostExecutor(pool),
    readClocks: async () => null,
    identity,
    capabilities,
    lastLevelCacheBytes: machine.lastLevelCacheBytes,
    environment: {
      device: identity,
      capabilities,
      profile: 'default',
      driver: '',
      toggles: { enabled: [], disabled: [] },
      runtimeVersions: { node: process.versions.node, v8: process.versions.v8 },
      os: machine.os,
      cpu: machine.cpu,
      memoryBytes: machine.memoryBytes,
      tilemarkVersion: VERSION,
    },
  };
}

/** The host has no workgroups; what bounds it is the size of an array, a quarter of memory at most. */
function hostCapabilities({ memoryBytes }: Machine): DeviceCapabilities {
  const arrayBytes = Math.min(Math.floor(memoryBytes / 4), constants.MAX_LENGTH);
  return {
    features: [],
    maxComputeInvocationsPerWorkgroup: 1,
    maxComputeWorkgroupSizeX: 1,
    maxComputeWorkgroupSizeY: 1,
    maxComputeWorkgroupSizeZ: 1,
    maxComputeWorkgroupStorageSize: 1,
    maxComputeWorkgroupsPerDimension: 1,
    maxStorageBufferBindingSize: arrayBytes,
    maxBufferSize: arrayBytes,
  };
}
