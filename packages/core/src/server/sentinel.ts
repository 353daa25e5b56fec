import { ifValid, kernelById } from '@tilemark/kernels';
import { sharesHost, suiteClass } from '../measure/device';
import { expand } from '../plan/expansion';
import type { SweepCase } from '../plan/spec';
import { sentinel, WATCHED } from '../suites/sentinel';
import { suiteRef } from '../suites/suites';
import type { Software } from '../view/alarm';
import { KeyUsed } from './errors';
import { isSame } from './store/alarms';
import type { Visits } from './store/visits';
import { type SweepServices, startSweep } from './submit';

/**
 * The sentinel: a small suite that every watched device repeats, in the background and each time in a
 * process of its own, so that its results tell when a driver, a browser or Dawn changes what kernels
 * do. What they say are the alarms (store/alarms.ts).
 */

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** A device is visited first once the board has its numbers, ms after it was first seen. */
const FIRST_AFTER_MS = HOUR_MS;

/** It has a history after so many visits, a day apart; from then on they are a week apart. */
const HISTORY_VISITS = 3;
const WEEK_MS = 7 * DAY_MS;

/** What says whether a visit is due. */
export interface Standing {
  /** Absent: there was none. */
  readonly visits: Visits | undefined;
  readonly firstSeenAt: Date;
  /** That of the worker that attaches; absent: nobody has just attached. */
  readonly software: Software | undefined;
  /** Whether the last visit found something that another would confirm or not. */
  readonly isSuspect: () => Promise<boolean>;
}

/** Whether the sentinel is due on a device. */
export async function isDue(
  { firstSeenAt, isSuspect, software, visits }: Standing,
  nowMs: number,
): Promise<boolean> {
  if (!visits) return nowMs - firstSeenAt.getTime() >= FIRST_AFTER_MS;
  const { count, createdAt, isDone, previousAt } = visits;
  if (!isDone) return false;
  const ageMs = nowMs - createdAt.getTime();
  if (ageMs >= (count < HISTORY_VISITS ? DAY_MS : WEEK_MS)) return true;
  if (software && visits.software && !isSame(software, visits.software)) return true;
  // Once: what two visits of a day do not agree on waits for the next.
  const isRepeat = previousAt && createdAt.getTime() - previousAt.getTime() < DAY_MS;
  return !isRepeat && (await isSuspect());
}

/** Each case takes turns with naive, from which other work on the machine takes as much. */
const controlled = (cases: readonly SweepCase[]): SweepCase[] =>
  cases.flatMap((asked) => {
    const kernel = `${kernelById(asked.kernel).op}/naive`;
    return asked.kernel === kernel ? [] : [{ ...asked, rival: { kernel, tunables: {} } }];
  });

/** By their sweeps, which are done: nothing of theirs changes. */
const suspected = new Map<string, boolean>();
const MOST_SUSPECTED = 1_000;

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
  const visits = await store.visits.on(deviceKeys);
  const started: string[] = [];
  for (const device of await store.devices.toPlan(deviceKeys)) {
    const { class: deviceClass, firstSeenAt, key, name } = device;
    const size = WATCHED[suiteClass(device)];
    if (size === undefined) continue;
    const known = visits.get(key);
    const isSuspect = async () => {
      const visit = known?.sweepId ?? '';
      const before = suspected.get(visit);
      if (before !== undefined) return before;
      const found = await store.alarms.isSuspect(key);
      if (suspected.size >= MOST_SUSPECTED) suspected.clear();
      suspected.set(visit, found);
      return found;
    };
    const standing = { visits: known, firstSeenAt, software, isSuspect };
    if (!(await isDue(standing, Date.now())) || !(await store.runs.hasRoomFor(key))) continue;
    const suite = sentinel.spec({ n: size });
    const cases = [...suite.cases, ...(await store.visits.cases(key))];
    const spec = {
      ...suite,
      cases: sharesHost(deviceClass) ? controlled(cases) : cases,
      devices: [key],
    };
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
          idempotencyKey: `${ref} ${key} ${known?.count ?? 0}`,
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
