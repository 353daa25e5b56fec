import { setTimeout as sleep } from 'node:timers/promises';
import { keepReconciled, ServiceUnavailable, sendAlarms } from '@tilemark/core/server';
import { log } from './log';
import { type Services, services } from './services';

const EVERY_MS = 15_000;
/** How often alarms are looked for that were not sent. */
const ALARMS_EVERY_MS = 60_000;
/** Streams end and connections close within this, or are cut. */
const CLOSE_WITHIN_MS = 5_000;

/**
 * Brings the database's rows and the queue's jobs into step, now and every 15 s,
 * and posts alarms, until the process is told to stop. Then it ends the open streams, which Next
 * would wait for, and closes the connections.
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
  const { rooflines } = opened.store;
  await (async () => {
    await rooflines.levelEarlier();
    await rooflines.reconsiderEarlier();
  })().catch((error: unknown) => {
    log.error({ err: error }, 'could not reconsider results of earlier releases; a restart does');
  });
  const posting = postAlarms(opened, signal);
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
  await posting;
  await Promise.race([opened.close(), sleep(CLOSE_WITHIN_MS, undefined, { ref: false })]);
}

/** Posts alarms to the operator's webhook, beside everything else, until the signal aborts. */
async function postAlarms({ settings, store }: Services, signal: AbortSignal): Promise<void> {
  const { alarmWebhook } = settings;
  while (alarmWebhook !== null && !signal.aborted) {
    try {
      const sent = await sendAlarms(store, alarmWebhook);
      if (sent > 0) log.info({ sent }, 'sent alarms to the webhook');
    } catch (error) {
      log.warn({ err: error }, 'could not send an alarm; it is tried again');
    }
    await sleep(ALARMS_EVERY_MS, undefined, { signal, ref: false }).catch(() => undefined);
  }
}
