import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Asks again and again until the answer is yes; false if that takes longer than `withinMs`. Throws
 * once `signal` is aborted.
 */
export async function holdsWithin(
  withinMs: number,
  holds: () => Promise<boolean>,
  everyMs = 50,
  signal?: AbortSignal,
): Promise<boolean> {
  const deadlineMs = performance.now() + withinMs;
  while (!(await holds())) {
    if (performance.now() > deadlineMs) return false;
    await sleep(everyMs, undefined, { signal });
  }
  return true;
}
