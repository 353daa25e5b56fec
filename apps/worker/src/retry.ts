import { setTimeout as sleep } from 'node:timers/promises';

const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 30_000;

export interface RetryOptions {
  /** Whether another try may help. */
  readonly mayHelp: (error: unknown) => boolean;
  /** Told of each error after which there is another try. */
  readonly onRetry: (error: unknown) => void;
  readonly signal: AbortSignal;
}

/**
 * Works until it succeeds: 0.5 s after the first failure again, then after twice as long
 * each time, 30 s at most. Throws an error after which another try would not help, and the
 * signal's reason.
 */
export async function retry<T>(
  work: () => Promise<T>,
  { mayHelp, onRetry, signal }: RetryOptions,
): Promise<T> {
  for (let delayMs = FIRST_DELAY_MS; ; delayMs = Math.min(2 * delayMs, LONGEST_DELAY_MS)) {
    signal.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      signal.throwIfAborted();
      if (!mayHelp(error)) throw error;
      onRetry(error);
    }
    // An abort ends the wait, and the next turn throws its reason.
    await sleep(delayMs, undefined, { signal }).catch(() => {});
  }
}
