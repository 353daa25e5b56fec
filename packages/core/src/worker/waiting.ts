import pRetry, { type Options } from 'p-retry';
import pTimeout from 'p-timeout';

/**
 * Tries until it succeeds, for as long as another try may help: after half a second to one, then
 * after twice as long each time, 30 s at most. By chance, so that the workers of a grid that comes
 * back do not all ask at once. Throws any other error, and the signal's reason.
 */
export function retryForever<T>(
  work: () => Promise<T>,
  options: Required<Pick<Options, 'signal' | 'shouldRetry' | 'onFailedAttempt'>>,
): Promise<T> {
  return pRetry(work, {
    ...options,
    retries: Number.POSITIVE_INFINITY,
    minTimeout: 500,
    maxTimeout: 30_000,
    randomize: true,
  });
}

/** Whether the work is done within `ms`; work that is late goes on, unawaited. */
export const doneWithin = (ms: number, work: Promise<unknown>): Promise<boolean> =>
  pTimeout(
    work.then(() => true),
    { milliseconds: ms, fallback: () => false },
  );

/** Settles after `ms`. Rejects with the signal's reason once that aborts. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', abort, { once: true });
  });
}
