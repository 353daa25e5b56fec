import { setTimeout as sleep } from 'node:timers/promises';
import { PROFILES } from '@tilemark/core';
import { type Queue, ServiceUnavailable, type Store } from '@tilemark/core/server';
import type { Logger } from 'pino';
import { withMachineLock } from './machine-lock';
import { messageOf } from './message';
import { retry } from './retry';
import type { Runner } from './runner';
import type { Attached } from './worker';

/** A roofline changes with the driver, not from start to start, ms. */
const FRESH_MS = 24 * 60 * 60 * 1000;

/** A software adapter, which takes half a minute, is left to runs until none came for so long, ms. */
const IDLE_MS = 60_000;
const CHECK_MS = 5_000;

export interface RooflineParts {
  readonly store: Store;
  readonly queue: Queue;
  readonly runner: Runner;
  readonly log: Logger;
  readonly lockPath?: string;
  readonly idleMs?: number;
}

/**
 * Measures what the device can do at most under each profile, where nobody has within
 * a day, and keeps it; services that are away are waited for. Runs take turns with it. Of a
 * software adapter only the default profile, once it is idle: it is the host that is
 * measured. It never throws: a grid without rooflines still measures.
 */
export async function keepRooflines(
  { store, queue, runner, log, lockPath, idleMs = IDLE_MS }: RooflineParts,
  {
    workerId,
    deviceKey,
    deviceClass,
    signal,
  }: Omit<Attached, 'worker'> & { readonly signal: AbortSignal },
): Promise<void> {
  const isHardware = deviceClass === 'gpu';
  const served = <T>(work: () => Promise<T>) =>
    retry(work, {
      mayHelp: (error) => error instanceof ServiceUnavailable,
      onRetry: (error) =>
        log.debug({ error: messageOf(error) }, 'the roofline waits for a service'),
      signal,
    });
  for (const profile of isHardware ? PROFILES : (['default'] as const)) {
    try {
      const known = await served(() => store.rooflines.latest(deviceKey));
      const last = known.find((roofline) => roofline.profile === profile);
      if (last && Date.now() - Date.parse(last.measuredAt) < FRESH_MS) continue;
      if (!isHardware) await served(() => untilIdle(queue, deviceKey, idleMs, signal));
      const survey = await withMachineLock(() => runner.survey(profile, signal), {
        signal,
        path: lockPath,
      });
      // Profiles are toggles of Dawn: a device without probes has none under any.
      if (!survey) return;
      await served(() => store.rooflines.record({ deviceKey, profile, workerId, survey }));
      log.info({ profile, peaks: survey.peaks }, 'measured the roofline');
    } catch (error) {
      if (signal.aborted) return;
      const message = messageOf(error);
      log.warn({ profile, error: message }, 'could not measure the roofline');
    }
  }
}

/** Waits until nothing has waited for the device for a while. Throws the signal's reason. */
async function untilIdle(
  queue: Queue,
  deviceKey: string,
  idleMs: number,
  signal: AbortSignal,
): Promise<void> {
  let idleSinceMs = Date.now();
  while (Date.now() - idleSinceMs < idleMs) {
    await sleep(CHECK_MS, undefined, { signal });
    if ((await queue.depth(deviceKey)) > 0) idleSinceMs = Date.now();
  }
}
