import { deviceKey } from '@tilemark/core';
import { DeviceProcess } from '../child/device-process';
import { NO_ADAPTER } from '../device/advice';
import { table } from '../table';

/** Prints what can be measured on this machine. */
export async function devices(childEntry: URL, print: (text: string) => void): Promise<void> {
  const listed = await DeviceProcess.list(childEntry);
  const rows = listed.map(({ flag, identity }) => [
    flag,
    identity.device,
    identity.class,
    identity.backend,
    deviceKey(identity),
  ]);
  print(table(['--device', 'name', 'class', 'backend', 'key'], rows));
  if (listed.every(({ identity }) => identity.class === 'cpu')) print(NO_ADAPTER);
}
