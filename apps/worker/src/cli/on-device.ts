import { DeviceOwner, type ListedDevice } from '@tilemark/core';
import { DeviceProcess } from '../child/device-process';
import { Runner } from '../child/runner';
import { equals, listCards } from '../gpu/cards';
import { MachineTurn } from '../run/machine-lock';
import { WAITING } from './table';

/** Runs a piece of work while nothing else on this machine measures. */
export type Alone = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * Starts the process of one device of this machine, for the whole of a command, and ends it.
 *
 * @param tell is given a line whenever the command has to wait for others
 */
export async function onDevice<T>(
  device: string,
  childEntry: URL,
  tell: (line: string) => void,
  command: (runner: Runner, alone: Alone) => Promise<T>,
): Promise<T> {
  const runner = new Runner({ entry: childEntry, device: await uniqueFlag(device, childEntry) });
  const turn = new MachineTurn();
  try {
    return await command(runner, (work) => turn.take(work, { onWait: () => tell(WAITING) }));
  } finally {
    await turn.end();
    await runner.close();
  }
}

/** The `--device` of a card; one of several equal ones is found by its bus id alone. */
export const flagOf = (
  listed: ListedDevice | undefined,
  cards = listCards(),
): string | undefined =>
  listed?.card && equals(listed.identity.device, cards).length > 0
    ? listed.card.busId
    : listed?.flag;

/** A `--device` that says which process to start: of an index on a host with several cards, the bus id. */
export async function uniqueFlag(device: string, childEntry: URL): Promise<string> {
  if (!/^\d+$/.test(device) || listCards().length < 2) return device;
  const listed = await DeviceOwner.list(new DeviceProcess(childEntry, { kind: 'list' }));
  return flagOf(listed[Number(device)]) ?? device;
}
