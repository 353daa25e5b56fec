import { ifValid } from '@tilemark/kernels';
import type { Software } from '../api/change';
import { suiteClass } from '../measure/device';
import { expand } from '../plan/expansion';
import { sentinel, WATCHED } from '../suites/sentinel';
import { suiteRef } from '../suites/suites';
import { KeyUsed } from './errors';
import { VISITS, type Visit } from './store/sweeps/visits';
import { type SweepServices, startSweep } from './submit';

/**
 * The sentinel: a small suite that every device repeats under each version of its software, in the
 * background and each time in a process of its own. What its results show are the changes
 * (store/boards/changes.ts).
 */

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** A device is visited first once the board has its numbers, ms after it was first seen. */
const FIRST_AFTER_MS = HOUR_MS;

/** The facts by which a visit is due. */
export interface Standing {
  /** The newest first. */
  readonly visits: readonly Visit[];
  readonly firstSeenAt: Date;
  /** That of the worker that attaches; absent: nobody has just attached. */
  readonly software: Software | undefined;
}

/** Whether the sentinel is due on a device: so often under each software, a day apart. */
export function isDue({ firstSeenAt, software, visits }: Standing, nowMs: number): boolean {
  const [newest] = visits;
  if (!newest) return nowMs - firstSeenAt.getTime() >= FIRST_AFTER_MS;
  if (!newest.isDone) return false;
  const current = software ?? newest.software;
  if (newest.software && !isSame(current, newest.software)) return true;
  const count = visits.filter((visit) => isSame(visit.software, current)).length;
  return count < VISITS && nowMs - newest.createdAt.getTime() >= DAY_MS;
}

const isSame = (a: Software | null, b: Software | null): boolean =>
  a?.driver === b?.driver && a?.runtime === b?.runtime;

/**
 * Starts the sentinel on those of the devices that it is due on. Safe to call at any time and from
 * several processes at once.
 *
 * @param software of the worker that attaches; absent: nobody does
 * @returns the ids of the sweeps that were started
 */
export async function visitDevices(
  services: SweepServices,
  deviceKeys: readonly string[],
  software?: Software,
): Promise<string[]> {
  const { store } = services;
  if (deviceKeys.length === 0) return [];
  const visitsOn = await store.visits(deviceKeys);
  const started: string[] = [];
  for (const device of await store.devices.toPlan(deviceKeys)) {
    const { firstSeenAt, key, name } = device;
    const size = WATCHED[suiteClass(device)];
    if (size === undefined) continue;
    const visits = visitsOn.get(key) ?? [];
    if (!isDue({ visits, firstSeenAt, software }, Date.now())) continue;
    const spec = { ...sentinel.spec({ n: size }), devices: [key] };
    const runs = ifValid(() => expand(spec, [device])) ?? [];
    if (runs.length === 0) continue;
    const ref = suiteRef(sentinel);
    try {
      const { id } = await startSweep(
        services,
        { name: 'tilemark' },
        {
          name: `${sentinel.title} on ${name}`.slice(0, 120),
          suite: ref,
          spec,
          runs,
          background: true,
          idempotencyKey: `${ref} ${key} ${visits[0]?.sweepId ?? ''}`,
        },
      );
      started.push(id);
    } catch (error) {
      // Another process found it due at the same moment.
      if (!(error instanceof KeyUsed)) throw error;
    }
  }
  return started;
}
