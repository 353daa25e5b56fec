import { setTimeout as sleep } from 'node:timers/promises';
import { GridUnavailable, type Link, PROFILES } from '@tilemark/core';
import type { Logger } from 'pino';
import type { Runner } from '../child/runner';
import { messageOf } from '../message';
import { withMachineLock } from './machine-lock';
import { retryForever } from './waiting';
import type { Attached } from './worker';

/** A roofline changes with the driver, not between restarts, ms. */
const FRESH_MS = 24 * 60 * 60 * 1000;

/** A software adapter, whose survey takes half a minute, must have been idle this long, ms. */
const IDLE_MS = 60_000;
const CHECK_MS = 5_000;

export interface RooflineParts {
  readonly link: Pick<Link, 'roofline'>;
  readonly runner: Runner;
  readonly log: Logger;
  readonly lockPath?: string;
  readonly idleMs?: number;
}

/**
 * Measures and hands in the device's peaks under each profile, unless that was done within
 * a day; waits for a grid that is unavailable. Runs take turns with it. A software adapter
 * is surveyed under the default profile only, once it is idle, since the survey loads the
 * host. Never throws: a grid without rooflines still measures.
 */
export async function keepRooflines(
  { link, runner, log, lockPath, idleMs = IDLE_MS }: RooflineParts,
  {
    deviceClass,
    rooflines,
    worker,
    signal,
  }: Pick<Attached, 'deviceClass' | 'rooflines'> & {
    readonly worker: Pick<Attached['worker'], 'idleMs'>;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const isHardware = deviceClass === 'gpu';
  for (const profile of isHardware ? PROFILES : (['default'] as const)) {
    try {
      const last = rooflines.find((roofline) => roofline.profile === profile);
      if (last && Date.now() - Date.parse(last.measuredAt) < FRESH_MS) continue;
      while (!isHardware && worker.idleMs < idleMs) await sleep(CHECK_MS, undefined, { signal });
      const survey = await withMachineLock(() => runner.survey(profile, signal), {
        signal,
        path: lockPath,
      });
      // Profiles are Dawn toggles: a device without probes has none under any profile.
      if (!survey) return;
      await retryForever(() => link.roofline(profile, survey), {
        shouldRetry: ({ error }) => error instanceof GridUnavailable,
        onFailedAttempt: ({ error }) =>
          log.debug({ error: error.message }, 'the roofline is waiting for the grid'),
        signal,
      });
      log.info({ profile, peaks: survey.peaks }, 'measured the roofline');
    } catch (error) {
      if (signal.aborted) return;
      const message = messageOf(error);
      log.warn({ profile, error: message }, 'could not measure the roofline');
    }
  }
}
