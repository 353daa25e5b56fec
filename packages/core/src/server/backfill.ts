import { findSuite, suiteRef } from '../suites/registry';
import { type SweepServices, submitSweep } from './submit';

const SUITE = 'starter';

/**
 * Starts the starter suite on a device that has never seen it, so that the board
 * has its numbers without anybody asking. Safe to call on every attach and from
 * several workers at once: one of them starts it, once and for all, also where
 * somebody cancelled it.
 *
 * @returns the id of the sweep that was started, or null when there was one
 */
export async function backfill(services: SweepServices, deviceKey: string): Promise<string | null> {
  const suite = suiteRef(findSuite(SUITE));
  const started = await services.store.sweeps.ofSuite(suite, deviceKey);
  if (started.length > 0) return null;
  const device = await services.store.devices.get(deviceKey);
  const { id } = await submitSweep(
    services,
    {
      name: `Starter on ${device?.name ?? deviceKey}`.slice(0, 120),
      suite: SUITE,
      params: {},
      devices: [deviceKey],
    },
    { name: 'tilemark' },
    { idempotencyKey: `${suite} ${deviceKey}`, background: true },
  );
  return id;
}
