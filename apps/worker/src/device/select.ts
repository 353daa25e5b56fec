import type { DeviceIdentity, OpenDevice, Profile } from '@tilemark/core';
import { type HostPool, InputError } from '@tilemark/kernels';
import { type Adapter, identify, listAdapters, openGpu } from '../gpu/dawn';
import { hostIdentity, openHost, thisMachine } from './host';

/** Shown if Dawn finds no adapter. */
export const NO_ADAPTER =
  'No GPU found. Install a Vulkan driver (NVIDIA: the driver with its Vulkan files; AMD, Intel or no GPU: mesa-vulkan-drivers 25 or newer).';

export type DeviceChoice =
  | { readonly kind: 'gpu'; readonly adapter: Adapter }
  | { readonly kind: 'cpu' };

/** A device of this machine, with what `--device` calls it. */
export interface ListedDevice {
  readonly flag: string;
  readonly identity: DeviceIdentity;
}

/** Every adapter, then the host CPU. */
export async function listDevices(): Promise<ListedDevice[]> {
  const adapters = await listAdapters();
  const gpus = await Promise.all(
    adapters.map(async (adapter, index) => ({
      flag: String(index),
      identity: await identify(adapter),
    })),
  );
  return [...gpus, { flag: 'cpu', identity: hostIdentity(await thisMachine()) }];
}

/**
 * Reads `--device`: an index of `listDevices`, `cpu`, or `auto` (the first
 * adapter, or the CPU if there is none). Throws InputError at `device`.
 */
export async function chooseDevice(flag: string): Promise<DeviceChoice> {
  if (flag === 'cpu') return { kind: 'cpu' };
  const adapters = await listAdapters();
  const [first] = adapters;
  if (flag === 'auto') return first ? { kind: 'gpu', adapter: first } : { kind: 'cpu' };
  const adapter = /^\d+$/.test(flag) ? adapters[Number(flag)] : undefined;
  if (adapter) return { kind: 'gpu', adapter };
  const known = adapters.map(({ name }, index) => `${index} (${name})`);
  throw new InputError(
    `There is no device ${flag}. Devices: ${[...known, 'cpu', 'auto'].join(', ')}.${first ? '' : ` ${NO_ADAPTER}`}`,
    'device',
  );
}

/** @param pool threads of the host */
export function openDevice(
  choice: DeviceChoice,
  profile: Profile,
  pool: HostPool,
): Promise<OpenDevice> {
  return choice.kind === 'cpu' ? openHost(pool) : openGpu(choice.adapter, profile, pool);
}
