import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InputError } from '@tilemark/kernels';

/**
 * Cards: the physical GPUs of this machine. Dawn opens adapters by name, so two equal cards are one
 * to it. A process that is to have one of them is started so that it sees no other: Mesa's
 * device-select layer shows it that card alone, NVIDIA's too; where the layer is missing, a mount
 * namespace of its own hides the others' device files. Both were tried on two H200 of one host on
 * 2026-11-22, and neither CUDA_VISIBLE_DEVICES nor the loader's own filters do it.
 *
 * NVIDIA's driver alone is asked so far; a machine without it has no cards, only adapters.
 */
export interface Card {
  readonly name: string;
  /** `0000:00:07.0` */
  readonly busId: string;
  readonly uuid: string;
  /** n of /dev/nvidia<n>. */
  readonly minor: number;
}

let cards: readonly Card[] | undefined;

/** The cards that the driver lists, asked once per process; it takes up to a second. */
export function listCards(): readonly Card[] {
  if (cards) return cards;
  try {
    cards = parseCards(nvidiaSmi(['-q']));
  } catch {
    cards = [];
  }
  return cards;
}

const nvidiaSmi = (args: readonly string[]): string =>
  execFileSync('nvidia-smi', args, {
    encoding: 'utf8',
    timeout: 10_000,
    stdio: ['ignore', 'pipe', 'ignore'],
  });

/** Reads `nvidia-smi -q`; exported for its test. */
export function parseCards(text: string): Card[] {
  return text.split(/^GPU /m).flatMap((part) => {
    const field = (name: string) => new RegExp(`^ +${name} +: (.+)$`, 'm').exec(part)?.[1]?.trim();
    // Its domain has eight digits, everybody else's four.
    const busId = /^[0-9a-f]{4}([0-9a-f]{4}:\S+)/i.exec(part)?.[1]?.toLowerCase();
    const [name, uuid] = [field('Product Name'), field('GPU UUID')];
    const minor = Number(field('Minor Number'));
    return busId && name && uuid ? [{ name, busId, uuid, minor }] : [];
  });
}

/** The card that `--device` names by its bus id or UUID; the driver is not asked for other flags. */
export const cardNamed = (flag: string): Card | undefined =>
  /[:-]/.test(flag)
    ? listCards().find(({ busId, uuid }) => flag.toLowerCase() === busId || flag === uuid)
    : undefined;

/** The cards of a name, where there are several: one alone needs no telling apart. */
export const equals = (name: string, cards = listCards()): readonly Card[] => {
  const alike = cards.filter((card) => card.name === name);
  return alike.length > 1 ? alike : [];
};

/** Held while a card measures. Whoever has the whole machine holds that of every card. */
export const lockOf = ({ busId }: Card): string =>
  join(tmpdir(), `tilemark-measuring-${busId.replaceAll(/[:.]/g, '-')}`);

/** How a process is started that sees one of several equal cards. */
interface Launch {
  readonly execPath: string;
  readonly execArgv: string[];
}

const LAYER = 'VkLayer_MESA_device_select.json';
const LAYER_FOLDERS = ['/usr/share/vulkan/implicit_layer.d', '/etc/vulkan/implicit_layer.d'];
const hasLayer = () => LAYER_FOLDERS.some((folder) => existsSync(join(folder, LAYER)));

const WAYS =
  "Equal cards are told apart by Mesa's device-select layer (install mesa-vulkan-drivers) or in a mount namespace (`unshare -rm`, where user namespaces are allowed).";

/** Throws InputError, at `device`, where equal cards cannot be told apart. */
export function launchOf(card: Card, isLayered = hasLayer()): Launch {
  const node = process.execPath;
  const others = equals(card.name).filter(({ uuid }) => uuid !== card.uuid);
  if (others.length === 0) return { execPath: node, execArgv: [] };
  if (isLayered) {
    const only = `DRI_PRIME=pci-${card.busId.replaceAll(/[:.]/g, '_')}!`;
    return { execPath: 'env', execArgv: [only, node] };
  }
  const shell = ['-rm', 'sh', '-c'];
  try {
    execFileSync('unshare', [...shell, ':'], { stdio: 'ignore' });
  } catch {
    throw new InputError(`${WAYS} This machine offers neither.`, 'device');
  }
  const hide = others.map(({ minor }) => `mount --bind /dev/null /dev/nvidia${minor}`);
  const script = `${hide.join(' && ')} && exec "$0" "$@"`;
  return { execPath: 'unshare', execArgv: [...shell, script, node] };
}

/** Memory in use on a card, MiB. */
function usedMiB({ uuid }: Card): number {
  return Number(
    nvidiaSmi(['-i', uuid, '--query-gpu=memory.used', '--format=csv,noheader,nounits']),
  );
}

/** A device that is opened takes more of its card's memory than this, MiB. */
const TAKEN_MIB = 16;

/**
 * Opens a card's device and compares the memory in use on the card before and after: a device that
 * is open takes some. Throws InputError, at `device`, if another card was opened.
 */
export async function openOnCard<T>(
  card: Card,
  open: () => Promise<T>,
  usedOf: (card: Card) => number = usedMiB,
): Promise<T> {
  if (equals(card.name).length === 0) return open();
  const before = usedOf(card);
  const opened = await open();
  if (usedOf(card) - before > TAKEN_MIB) return opened;
  throw new InputError(
    `The device opened for card ${card.busId} took no memory there, so another card would do its work. ${WAYS}`,
    'device',
  );
}
