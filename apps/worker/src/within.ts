import { setTimeout as sleep } from 'node:timers/promises';

/** Whether the work is done within `ms`; what is late goes on, and nobody waits for it. */
export async function doneWithin(ms: number, work: Promise<unknown>): Promise<boolean> {
  const waiting = new AbortController();
  try {
    return await Promise.race([
      work.then(() => true),
      sleep(ms, false, { signal: waiting.signal }),
    ]);
  } finally {
    waiting.abort();
  }
}
