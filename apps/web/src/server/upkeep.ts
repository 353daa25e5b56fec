import { setTimeout as sleep } from 'node:timers/promises';
import { keepReconciled, ServiceUnavailable } from '@tilemark/core/server';
import { log } from './log';
import { services } from './services';

const EVERY_MS = 15_000;
/** Streams end and connections close within this, or are cut. */
const CLOSE_WITHIN_MS = 5_000;

/**
 * Brings the database's rows and the queue's jobs into step, now and every 15 s, until the process is
 * told to stop. Then it ends the open streams, which Next would wait for, and closes the connections.
 */
export function startUpkeep(): void {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => stop.abort());
  }
  run(stop.signal).catch((error: unknown) => {
    log.error({ err: error }, 'the upkeep ended');
  });
}

async function run(signal: AbortSignal): Promise<void> {
  const opened = await services();
  await keepReconciled(opened, {
    everyMs: EVERY_MS,
    signal,
    onReconciled: (what) => log.info(what, 'reconciled the queue with the database'),
    onError: (error) => {
      // An outage ends by itself and needs one line, not a stack.
      if (error instanceof ServiceUnavailable) log.warn(error.message);
      else log.error({ err: error }, 'could not reconcile the queue with the database');
    },
  });
  await Promise.race([opened.close(), sleep(CLOSE_WITHIN_MS, undefined, { ref: false })]);
}
