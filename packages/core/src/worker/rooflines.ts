import { GridUnavailable, type Link } from '../link/link';
import { PROFILES } from '../measure/device';
import { BUSY_PART } from '../measure/trust';
import { type Log, messageOf } from './log';
import type { WorkerParts } from './parts';
import type { DeviceRunner } from './runner';
import { retryForever, sleep } from './waiting';
import type { Attached } from './worker';

/** A roofline changes with the driver, not between restarts, ms. */
const FRESH_MS = 24 * 60 * 60 * 1000;

/** A software adapter, whose survey takes half a minute, must have been idle this long, ms. */
const IDLE_MS = 60_000;
const CHECK_MS = 5_000;

interface RooflineParts {
  readonly link: Pick<Link, 'roofline'>;
  readonly runner: Pick<DeviceRunner, 'survey'>;
  readonly log: Log;
  readonly alone: WorkerParts['alone'];
  /** The part of the time for which the machine's processors worked since it was last asked. */
  readonly machineLoad: () => number;
  readonly idleMs?: number;
  readonly checkMs?: number;
}

/**
 * Measures and hands in the device's peaks under each profile, unless that was done within
 * a day; waits for a grid that is unavailable. Runs take turns with it. A software adapter or a
 * browser is surveyed under the default profile only, once it and its machine are idle: the survey
 * loads the machine, and beside other work it would find a part of what the device can do. Never throws: a grid without rooflines still measures.
 */
export async function keepRooflines(
  { link, runner, log, alone, machineLoad, idleMs = IDLE_MS, checkMs = CHECK_MS }: RooflineParts,
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
      if (!isHardware) {
        machineLoad();
        do await sleep(checkMs, signal);
        while (machineLoad() > BUSY_PART || worker.idleMs < idleMs);
      }
      const survey = await alone(() => runner.survey(profile, signal), signal);
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
