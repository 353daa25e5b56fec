import { DeviceOwner, deviceKey } from '@tilemark/core';
import { DeviceProcess } from '../child/device-process';
import { NO_ADAPTER } from '../device/select';
import { table } from './table';

/** Prints what can be measured on this machine. */
export async function devices(childEntry: URL, print: (text: string) => void): Promise<void> {
  const listed = await DeviceOwner.list(new DeviceProcess(childEntry, { kind: 'list' }));
  const isByCard = listed.some(({ card }) => card);
  const rows = listed.map(({ flag, identity, card }) => [
    flag,
    identity.device,
    identity.class,
    identity.backend,
    deviceKey(identity),
    ...(isByCard ? [card?.busId ?? '', card?.uuid ?? ''] : []),
  ]);
  const heads = ['--device', 'name', 'class', 'backend', 'key'];
  const ofCards = isByCard ? ['or by bus id', 'or by UUID'] : [];
  // A file or a pipe has all of a key, for other commands to take.
  const width = process.stdout.columns || Number.POSITIVE_INFINITY;
  print(table([...heads, ...ofCards], rows, [], { spare: ['key'], width }));
  if (listed.every(({ identity }) => identity.class === 'cpu')) print(NO_ADAPTER);
}
