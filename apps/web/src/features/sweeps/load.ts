import type { DeviceIdentity, RunView } from '@tilemark/core';
import type { Store } from '@tilemark/core/server';
import { type DeviceRoof, deviceRoofs } from '@/features/devices/roof';

/** Runs that a page of a sweep and its picture show; the rest of larger ones is in the export. */
export const MAX_RUNS = 5_000;

/** What the charts of a sweep know of a device. */
export interface DeviceFacts {
  readonly key: string;
  readonly identity: DeviceIdentity;
  readonly roofs: readonly DeviceRoof[];
}

/** Facts of the devices of some runs, in the order of their first one. */
export async function loadDevices(store: Store, runs: readonly RunView[]): Promise<DeviceFacts[]> {
  const keys = [...new Set(runs.map(({ device }) => device.key))];
  const facts = keys.map(async (key) => {
    const [device, surveys] = await Promise.all([
      store.devices.get(key),
      store.rooflines.latest(key),
    ]);
    if (!device) return [];
    // Results say less than a survey and cost more to read.
    const results = surveys.length > 0 ? [] : await store.devices.best(key);
    return [{ key, identity: device.identity, roofs: deviceRoofs(surveys, results) }];
  });
  return (await Promise.all(facts)).flat();
}
