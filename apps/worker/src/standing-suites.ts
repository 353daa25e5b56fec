import { backfill, type Queue, ServiceUnavailable, type Store } from '@tilemark/core/server';
import type { Logger } from 'pino';
import { messageOf } from './message';
import { retry } from './retry';

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
  const told = (error: unknown) => ({ error: messageOf(error) });
  try {
    const sweeps = await retry(() => backfill({ store, queue }, deviceKey), {
      mayHelp: (error) => error instanceof ServiceUnavailable,
      onRetry: (error) => log.warn(told(error), 'the standing suites wait for a service'),
      signal,
    });
    if (sweeps.length > 0) log.info({ sweeps }, 'started the standing suites');
  } catch (error) {
    if (signal.aborted) return;
    log.error(told(error), 'could not start the standing suites; the next start tries again');
  }
}
