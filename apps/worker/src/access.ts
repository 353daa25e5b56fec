import { setTimeout as sleep } from 'node:timers/promises';
import { type Enrolment, healthSchema } from '@tilemark/core';
import { isAccessRefused, type Queue, type Store } from '@tilemark/core/server';
import type { Logger } from 'pino';
import { messageOf } from './message';
import { retry } from './retry';
import type { Site } from './site';

/** Between two looks, ms. */
const CHECK_MS = 2_000;
/** Services that restart are back within this; after it they may be elsewhere, ms. */
const AWAY_MS = 15_000;
/** A site that turns a worker away is given this long before it is asked again, ms. */
const FIRST_DELAY_MS = 500;

export interface AccessParts {
  readonly store: Store;
  readonly queue: Queue;
  readonly site: Site;
}

/**
 * Resolves when enrolling again may help: the services no longer know this worker's accounts,
 * or the site finds services that this worker does not. Throws the signal's reason.
 */
export async function accessLost(
  { store, queue, site }: AccessParts,
  signal: AbortSignal,
): Promise<void> {
  let awaySinceMs: number | null = null;
  for (;;) {
    await sleep(CHECK_MS, undefined, { signal });
    try {
      await Promise.all([store.ping(), queue.ping()]);
      awaySinceMs = null;
    } catch (error) {
      if (isAccessRefused(error)) return;
      awaySinceMs ??= Date.now();
      if (Date.now() - awaySinceMs > AWAY_MS && (await isUp(site))) return;
    }
  }
}

const isUp = (site: Site): Promise<boolean> =>
  site.get('health', healthSchema).then(
    () => true,
    () => false,
  );

/**
 * Enrols until it succeeds: the site may be away, as it is when the grid restarts. Throws what
 * `isFinal` says will not change, and the signal's reason.
 */
export async function enrolAgain(
  enrol: () => Promise<Enrolment>,
  isFinal: (error: unknown) => boolean,
  log: Logger,
  signal: AbortSignal,
): Promise<Enrolment> {
  await sleep(FIRST_DELAY_MS, undefined, { signal });
  return retry(enrol, {
    mayHelp: (error) => !isFinal(error),
    onRetry: (error) => log.warn({ error: messageOf(error) }, 'could not enrol'),
    signal,
  });
}
