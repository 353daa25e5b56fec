import { RateLimiterRes } from 'rate-limiter-flexible';
import { type Limiters, type Wait, waitFor } from './limiters';

/** Counts one request under a key; past the limit, how long to wait. */
export async function takeRequest(
  limiterOf: Limiters,
  key: string,
  perMinute: number,
): Promise<Wait | null> {
  try {
    await limiterOf(perMinute).consume(key);
    return null;
  } catch (refusal) {
    // It rejects with the counter's state when the limit is passed, and with errors.
    if (!(refusal instanceof RateLimiterRes)) throw refusal;
    return waitFor(refusal);
  }
}
