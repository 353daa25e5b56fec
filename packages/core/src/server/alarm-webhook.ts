import { alarmText } from '../view/alarm';
import type { Store } from './store/store';

/** An answer is waited for this long, ms. */
const ANSWER_WITHIN_MS = 10_000;

/**
 * Posts the alarms that were not yet sent to the operator's own address, oldest first, as JSON:
 * `text` for people, as chats show it, and `alarm` as the API has it. An alarm is sent once the
 * address has answered 2xx; until then the next call tries again. Whatever goes wrong there delays
 * nothing else. Throws ServiceUnavailable, and Error naming the first that could not be sent.
 *
 * @returns how many were sent
 */
export async function sendAlarms(store: Pick<Store, 'alarms'>, url: string): Promise<number> {
  let sent = 0;
  for (const alarm of await store.alarms.unsent()) {
    const body = JSON.stringify({ text: alarmText(alarm), alarm });
    const isSent = await store.alarms.send(alarm.id, async () => {
      const answer = await fetch(url, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body,
        // It is this address that the operator has chosen, and no other.
        redirect: 'error',
        signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
      }).catch((error: unknown) => {
        throw new Error(`alarm ${alarm.id} was not sent: the webhook does not answer`, {
          cause: error,
        });
      });
      await answer.body?.cancel();
      if (!answer.ok) {
        throw new Error(`alarm ${alarm.id} was not sent: the webhook answered ${answer.status}`);
      }
    });
    if (isSent) sent++;
  }
  return sent;
}
