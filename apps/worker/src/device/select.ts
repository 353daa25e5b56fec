import type { ListedDevice, OpenDevice, Profile } from '@tilemark/core';
import { InputError } from '@tilemark/kernels';
import { type Card, equals, listCards } from '../gpu/cards';
import { type Adapter, identify, listAdapters, openGpu } from '../gpu/open';
import { hostIdentity, openHost, thisMachine } from './host';
import { createThreadPool } from './thread-pool';

/** Shown if Dawn finds no adapter. */
export const NO_ADAPTER =
  'No GPU found. Install a Vulkan driver (NVIDIA: the driver with its Vulkan files; AMD, Intel or no GPU: mesa-vulkan-drivers 25 or newer).';

type DeviceChoice = { readonly kind: 'gpu'; readonly adapter: Adapter } | { readonly kind: 'cpu' };

/** An adapter with the card behind it, where the driver lists that. */
interface Gpu {
  readonly adapter: Adapter;
  readonly card: Card | undefined;
}

/** Every adapter once, and once per card where several cards are equal. */
async function listGpus(): Promise<Gpu[]> {
  const adapters = await listAdapters();
  return adapters.flatMap((adapter): Gpu[] => {
    const cards = listCards().filter(({ name }) => name === adapter.name);
    return cards.length > 0
      ? cards.map((card) => ({ adapter, card }))
      : [{ adapter, card: undefined }];
  });
}

/** Every adapter, then the host CPU. */
export async function listDevices(): Promise<ListedDevice[]> {
  const gpus = await Promise.all(
    (await listGpus()).map(async ({ adapter, card }, index) => ({
      flag: String(index),
      identity: await identify(adapter),
      ...(card && { card: { busId: card.busId, uuid: card.uuid } }),
    })),
  );
  return [...gpus, { flag: 'cpu', identity: hostIdentity(await thisMachine()) }];
}

/**
 * Reads `--device`: an index of `listDevices`, a card's bus id or UUID, `cpu`, or `auto` (the first
 * adapter, or the CPU if there is none). Throws InputError at the flag.
 *
 * @param card the one that the flag names: this process sees no equal one
 */
export async function chooseDevice(flag: string, card?: Card): Promise<DeviceChoice> {
  if (flag === 'cpu') return { kind: 'cpu' };
  if (card) {
    const adapter = (await listAdapters()).find(({ name }) => name === card.name);
    if (adapter) return { kind: 'gpu', adapter: { ...adapter, card } };
    throw new InputError(`Vulkan shows no ${card.name} at ${card.busId}.`, '--device');
  }
  const gpus = await listGpus();
  const [first] = gpus;
  if (flag === 'auto') return first ? { kind: 'gpu', adapter: first.adapter } : { kind: 'cpu' };
  const gpu = /^\d+$/.test(flag) ? gpus[Number(flag)] : undefined;
  if (gpu?.card && equals(gpu.card.name).length > 0) {
    throw new InputError(
      `Device ${flag} is one of several ${gpu.card.name}: choose it by its bus id, ${gpu.card.busId}.`,
      '--device',
    );
  }
  if (gpu) return { kind: 'gpu', adapter: gpu.adapter };
  const listed = gpus.map(
    ({ adapter: { name }, card }, index) => `${index} (${name}${card ? ` at ${card.busId}` : ''})`,
  );
  throw new InputError(
    `There is no device ${flag}. Devices: ${[...listed, 'cpu', 'auto'].join(', ')}.${first ? '' : ` ${NO_ADAPTER}`}`,
    '--device',
  );
}

/** @param threads the bundled program of a thread, for parallel kernels of the host */
export function openDevice(
  choice: DeviceChoice,
  profile: Profile,
  threads: URL,
): Promise<OpenDevice> {
  return choice.kind === 'cpu'
    ? openHost(createThreadPool(threads))
    : openGpu(choice.adapter, profile);
}
