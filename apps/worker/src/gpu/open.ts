import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import {
  type DeviceIdentity,
  type Environment,
  engineOf,
  identityFrom,
  type OpenDevice,
  type Profile,
  requestWholeDevice,
} from '@tilemark/core';
import { createGpuExecutor } from '@tilemark/kernels';
import { version } from '../../package.json';
import { type Machine, thisMachine } from '../device/host';
import type { Card } from './cards';
import { nodeWithDawn } from './dawn';
import { deno } from './deno';
import { openEnergyMeter } from './energy-meter';
import { watchNvidiaClocks } from './nvidia-smi';

/** The GPUs of this machine, as the WebGPU of this process has them: Dawn in Node, wgpu in Deno. */

/** A GPU or software adapter. */
export interface Adapter {
  readonly name: string;
  readonly backend: string;
  /** The card to be read, where it is known which of the equal ones this is. */
  readonly card?: Card;
}

/** What offers WebGPU to this process. */
export interface Runtime {
  /** As in RUNTIMES. */
  readonly id: string;
  list(): Promise<Adapter[]>;
  /** The WebGPU that offers this adapter first. */
  gpuOf(adapter: Adapter, profile: Profile): Promise<GPU>;
  /** By the profiles that it has. */
  readonly toggles: Readonly<Partial<Record<Profile, Environment['toggles']>>>;
  versions(): Promise<Environment['runtimeVersions']>;
}

const isDeno = 'deno' in process.versions;
const runtime = isDeno ? deno : nodeWithDawn;

export const listAdapters = (): Promise<Adapter[]> => runtime.list();

/** An adapter's identity on the board, without opening a device. */
export async function identify(adapter: Adapter): Promise<DeviceIdentity> {
  const { info } = (await requestAdapter(adapter, 'default')).adapter;
  return identityOf(adapter, info, await thisMachine());
}

/** Opens an adapter with every limit it has, under the toggles of a profile. */
export async function openGpu(choice: Adapter, profile: Profile): Promise<OpenDevice> {
  const toggles = runtime.toggles[profile];
  if (!toggles) throw new Error(`This runtime has no profile ${profile}: use Node.`);
  const { gpu, adapter } = await requestAdapter(choice, profile);
  const machine = await thisMachine();
  const { info } = adapter;
  const { device, capabilities } = await requestWholeDevice(adapter, gpu);
  const identity = identityOf(choice, info, machine);
  const isNvidia = identity.vendor === 'nvidia';
  return {
    executor: await createGpuExecutor(device, {
      engine: engineOf(runtime.id) ?? 'tint',
      // A software adapter has no clocks of its own.
      idlesWhileAsked: isDeno && identity.class !== 'software',
    }),
    ...(!isDeno && { collectGarbage }),
    ...(isNvidia && {
      watchClocks: () => watchNvidiaClocks(choice),
      // The energy of the load would count.
      ...(!isDeno && { energyMeter: () => openEnergyMeter(choice) }),
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
      toggles: { enabled: [...toggles.enabled], disabled: [...toggles.disabled] },
      runtimeVersions: await runtime.versions(),
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
 * Frees the objects of Dawn that passes leave. V8 frees them all at once when memory runs short: 120 to 190
 * ms of whatever a run is doing by then (beside an H200, 2026-11-28).
 */
async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose-gc');
  gc ??= runInNewContext('gc') as () => void;
  gc();
  // Node frees their memory at the end of the turn.
  await setImmediate();
}

async function requestAdapter(choice: Adapter, profile: Profile) {
  const gpu = await runtime.gpuOf(choice, profile);
  const adapter = await gpu.requestAdapter({ powerPreference: 'high-performance' });
  if (!adapter) throw new Error(`The adapter ${choice.name} (${choice.backend}) is gone.`);
  return { gpu, adapter };
}

const identityOf = (
  { name, backend }: Adapter,
  info: GPUAdapterInfo,
  { cpu }: Machine,
): DeviceIdentity => identityFrom({ info, name, backend, runtime: runtime.id, cpu });
