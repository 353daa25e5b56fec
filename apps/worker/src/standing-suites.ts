import { setTimeout as sleep } from 'node:timers/promises';
import { backfill, type Queue, ServiceUnavailable, type Store } from '@tilemark/core/server';
import type { Logger } from 'pino';
import { messageOf } from './message';

const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 30_000;

export interface SuiteParts {
  readonly store: Store;
  readonly queue: Queue;
  readonly log: Logger;
}

/**
 * Starts the standing suites of a device that has a worker. While a service is away it
 * tries again, until the signal is aborted. It never throws: a worker without them still serves.
 */
export async function startStandingSuites(
  { store, queue, log }: SuiteParts,
  deviceKey: string,
  signal: AbortSignal,
): Promise<void> {
  let delayMs = FIRST_DELAY_MS;
  while (!signal.aborted) {
    try {
      const sweeps = await backfill({ store, queue }, deviceKey);
      if (sweeps.length > 0) log.info({ sweeps }, 'started the standing suites');
      return;
    } catch (error) {
      if (signal.aborted) return;
      const what = { error: messageOf(error) };
      if (!(error instanceof ServiceUnavailable)) {
        return log.error(what, 'could not start the standing suites; at the next start again');
      }
      log.warn(what, 'could not start the standing suites; trying again');
    }
    await sleep(delayMs, undefined, { signal }).catch(() => {});
    delayMs = Math.min(2 * delayMs, LONGEST_DELAY_MS);
  }
}
