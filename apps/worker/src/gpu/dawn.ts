import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import {
  type DeviceIdentity,
  type OpenDevice,
  type Profile,
  requestWholeDevice,
} from '@tilemark/core';
import { createGpuExecutor, pacePolling } from '@tilemark/kernels';
import { z } from 'zod';
import { version } from '../../package.json';
import { type Machine, thisMachine } from '../device/host';
import type { Card } from './cards';
import { openEnergyMeter } from './energy-meter';
import { readNvidiaClocks, watchNvidiaClocks } from './nvidia-smi';

/**
 * Dawn: the only file that imports `webgpu`. It lists the adapters of this machine and
 * opens one as an `OpenDevice` under the toggles of a profile.
 */

/** A GPU or software adapter that Dawn found. Dawn opens adapters by name. */
export interface Adapter {
  readonly name: string;
  readonly backend: string;
  /** The card to be read, where it is known which of the equal ones this is. */
  readonly card?: Card;
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

/** A release of Dawn for Node, loaded. */
interface Dawn {
  readonly create: typeof import('webgpu').create;
  readonly version: string;
}

const manifestSchema = z.object({ version: z.string(), main: z.string().default('index.js') });

/** This process has one release: the one that ships, unless another is chosen before it is used. */
let loading: Promise<Dawn> | null = null;

/** Chooses the release in a folder, the package `webgpu` as the registry has it, for this process. */
export function useRelease(folder: string): void {
  loading = loadFrom(folder);
}

async function dawn(): Promise<Dawn> {
  pacePolling();
  loading ??= loadShipped();
  return loading;
}

async function loadShipped(): Promise<Dawn> {
  const { create } = await import('webgpu');
  const { version } = manifestSchema.parse(createRequire(import.meta.url)('webgpu/package.json'));
  return { create, version };
}

async function loadFrom(folder: string): Promise<Dawn> {
  const manifest = await readFile(join(folder, 'package.json'), 'utf8');
  const { main, version } = manifestSchema.parse(JSON.parse(manifest));
  const { create } = await import(pathToFileURL(join(folder, main)).href);
  return { create, version };
}

/** The adapters of this machine, each name once: Dawn cannot tell equal GPUs apart. */
export async function listAdapters(): Promise<Adapter[]> {
  // Asked for a name that does not exist, Dawn answers with those that do.
  const { create } = await dawn();
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
    (adapter, index) => adapters.findIndex((other) => other.name === adapter.name) === index,
  );
}

/** An adapter's identity on the board, without opening a device. */
export async function identify(adapter: Adapter): Promise<DeviceIdentity> {
  const { info } = (await requestAdapter(adapter, 'default')).adapter;
  return identityOf(adapter, info, await thisMachine());
}

/** Opens an adapter with every limit it has, under the toggles of a profile. */
export async function openGpu(choice: Adapter, profile: Profile): Promise<OpenDevice> {
  const { gpu, adapter } = await requestAdapter(choice, profile);
  const machine = await thisMachine();
  const { info } = adapter;
  const { device, capabilities } = await requestWholeDevice(adapter, gpu);
  const identity = identityOf(choice, info, machine);
  keepAlive.add(gpu);
  return {
    executor: await createGpuExecutor(device),
    collectGarbage,
    readClocks: async () => (identity.vendor === 'nvidia' ? readNvidiaClocks(choice) : null),
    ...(identity.vendor === 'nvidia' && {
      watchClocks: () => watchNvidiaClocks(choice),
      energyMeter: () => openEnergyMeter(choice),
    }),
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
      runtimeVersions: { node: process.versions.node, webgpu: (await dawn()).version },
      os: machine.os,
      cpu: machine.cpu,
      memoryBytes: machine.memoryBytes,
      tilemarkVersion: version,
    },
  };
}

/** V8's own; only contexts made after the flag is set have it. */
let gc: (() => void) | null = null;

/**
 * Each pass leaves some objects of Dawn, which V8 frees all at once when memory runs short: 120 to
 * 190 ms of whatever a run is doing by then (beside an H200, 2026-11-28).
 */
async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose-gc');
  gc ??= runInNewContext('gc') as () => void;
  gc();
  // Node frees their memory at the end of the turn.
  await setImmediate();
}

/** Dawn lives only while its GPU object is referenced; an open device needs it until the process ends. */
const keepAlive = new Set<GPU>();

async function requestAdapter({ name, backend }: Adapter, profile: Profile) {
  const { enabled, disabled } = TOGGLES[profile];
  const { create } = await dawn();
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
