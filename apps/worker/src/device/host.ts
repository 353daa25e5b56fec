import { constants } from 'node:buffer';
import { readdir, readFile } from 'node:fs/promises';
import { arch, availableParallelism, cpus, release, totalmem, type } from 'node:os';
import { join } from 'node:path';
import {
  type DeviceCapabilities,
  type DeviceIdentity,
  limitsBy,
  type OpenDevice,
} from '@tilemark/core';
import { createHostExecutor, type HostPool } from '@tilemark/kernels';
import { version } from '../../package.json';

/** Properties of this machine that can change a number. */
export interface Machine {
  readonly os: string;
  readonly arch: string;
  readonly cpu: { readonly model: string; readonly cores: number };
  readonly memoryBytes: number;
  /** Null if the system does not say. */
  readonly lastLevelCacheBytes: number | null;
}

export async function thisMachine(): Promise<Machine> {
  return {
    os: `${type()} ${release()}`,
    arch: arch(),
    cpu: { model: cpus()[0]?.model.trim() || 'unknown CPU', cores: availableParallelism() },
    memoryBytes: totalmem(),
    lastLevelCacheBytes: await lastLevelCacheBytes(),
  };
}

/** Linux lists the caches of a core as `index0`, `index1`, ...; `size` reads like `32768K`. */
async function lastLevelCacheBytes(folder = '/sys/devices/system/cpu/cpu0/cache') {
  const entries = await readdir(folder).catch(() => []);
  const sizes = await Promise.all(
    entries
      .filter((name) => name.startsWith('index'))
      .map((name) => readFile(join(folder, name, 'size'), 'utf8').catch(() => '')),
  );
  const bytes = sizes.map((size) => Number.parseInt(size, 10) * 1024).filter((n) => n > 0);
  return bytes.length > 0 ? Math.max(...bytes) : null;
}

/** The CPU of this machine, the baseline for speed-ups over the host. */
export function hostIdentity({ cpu, arch }: Machine): DeviceIdentity {
  const vendor = /\b(AMD|Intel|Apple|ARM|Ampere|Qualcomm)\b/i.exec(cpu.model)?.[1] ?? 'unknown';
  return {
    vendor: vendor.toLowerCase(),
    architecture: arch,
    device: `${cpu.model} (${cpu.cores} ${cpu.cores === 1 ? 'core' : 'cores'})`,
    backend: 'host',
    runtime: 'deno' in process.versions ? 'deno' : 'node',
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
      tilemarkVersion: version,
    },
  };
}

/** The host has no workgroups; its bound is the size of an array, a quarter of memory at most. */
function hostCapabilities({ memoryBytes }: Machine): DeviceCapabilities {
  const arrayBytes = Math.min(Math.floor(memoryBytes / 4), constants.MAX_LENGTH);
  return {
    features: [],
    ...limitsBy(() => 1),
    maxStorageBufferBindingSize: arrayBytes,
    maxBufferSize: arrayBytes,
  };
}
