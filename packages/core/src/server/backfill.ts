import { InputError } from '@tilemark/kernels';
import { suiteRef } from '../suites/registry';
import { standingSuites } from '../suites/standing';
import { type SweepServices, submitSweep } from './submit';

/**
 * Starts the standing suites on a device that has never seen them, so that the board
 * has its numbers without anybody asking. Safe to call on every attach and from
 * several workers at once: one of them starts each, once and for all, also where
 * somebody cancelled it. A suite of a new version is one that it has not seen.
 *
 * @returns the ids of the sweeps that were started
 */
export async function backfill(services: SweepServices, deviceKey: string): Promise<string[]> {
  const device = await services.store.devices.get(deviceKey);
  if (!device) return [];
  const started: string[] = [];
  for (const { suite, params } of standingSuites(device.class)) {
    const ref = suiteRef(suite);
    if ((await services.store.sweeps.ofSuite(ref, deviceKey)).length > 0) continue;
    try {
      const { id } = await submitSweep(
        services,
        {
          name: `${suite.title} on ${device.name}`.slice(0, 120),
          suite: suite.id,
          params,
          devices: [deviceKey],
        },
        { name: 'tilemark' },
        { idempotencyKey: `${ref} ${deviceKey}`, background: true },
      );
      started.push(id);
    } catch (error) {
      // Its shapes do not fit the device, which is no reason to do without the others.
      if (!(error instanceof InputError)) throw error;
    }
  }
  return started;
}
