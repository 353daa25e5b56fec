import { allPublished, type DeviceIdentity, type Headline, type Sweep } from '@tilemark/core';
import type { Store } from '@tilemark/core/server';
import { shapeText } from '@tilemark/kernels';
import { type DeviceRoof, deviceRoofs } from '../devices/device-roof';
import type { Row } from './row';
import type { PublishedTime } from './time-curves';

/** Runs a page of a sweep shows; larger sweeps are read from the export. */
const MAX_ROWS = 5_000;

/** The runs of a sweep, up to what a page can carry. */
export const loadHeadlines = (store: Store, sweep: Sweep): Promise<Headline[]> =>
  store.sweeps.headlines(sweep.id, MAX_ROWS);

/** What the charts of a sweep know of a device. */
export interface DeviceFacts {
  readonly key: string;
  readonly identity: DeviceIdentity;
  readonly roofs: readonly DeviceRoof[];
}

/** Facts of the devices of some rows, in the order of their first row. */
export async function loadDevices(store: Store, rows: readonly Row[]): Promise<DeviceFacts[]> {
  const keys = [...new Set(rows.map(({ device }) => device.key))];
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

/** What reports say of exactly what was run: the variant, the shape and the dtype. */
export function publishedTimes(rows: readonly Row[]): PublishedTime[] {
  const run = new Set(rows.map(({ address, dtype, shape }) => `${address} ${shape} ${dtype}`));
  return allPublished()
    .flatMap(({ results }) => results)
    .map(({ address, problem, timeMs }) => ({
      address,
      shape: shapeText(problem),
      dtype: problem.dtype,
      ns: timeMs * 1e6,
    }))
    .filter(({ address, dtype, shape }) => run.has(`${address} ${shape} ${dtype}`));
}
