import type { PrismaClient } from '@tilemark/db';
import { RateLimiterPrisma, RateLimiterRes } from 'rate-limiter-flexible';

interface Wait {
  readonly retryAfterS: number;
}

const WINDOW_S = 60;

const waitFor = ({ msBeforeNext }: RateLimiterRes) => ({
  retryAfterS: Math.max(1, Math.ceil(msBeforeNext / 1_000)),
});

/** Rate limits, counted in Postgres so that all replicas of the site share the counters. */
export function limitsOf(db: PrismaClient) {
  /** Made on first use: each clears expired counters from time to time. */
  const limiters = new Map<number, RateLimiterPrisma>();
  const limiterOf = (perMinute: number) => {
    const limiter =
      limiters.get(perMinute) ??
      new RateLimiterPrisma({
        storeClient: db,
        tableName: 'rateLimit',
        keyPrefix: '',
        points: perMinute,
        duration: WINDOW_S,
      });
    limiters.set(perMinute, limiter);
    return limiter;
  };

  return {
    /** Counts one request under a key; past the limit, how long to wait. */
    async take(key: string, perMinute: number): Promise<Wait | null> {
      try {
        await limiterOf(perMinute).consume(key);
        return null;
      } catch (refusal) {
        // It rejects with the counter's state when the limit is passed, and with errors.
        if (!(refusal instanceof RateLimiterRes)) throw refusal;
        return waitFor(refusal);
      }
    },
    /** What `take` would answer next once the limit is reached; counts nothing. */
    async passed(key: string, perMinute: number): Promise<Wait | null> {
      const counted = await limiterOf(perMinute).get(key);
      return counted && counted.consumedPoints >= perMinute ? waitFor(counted) : null;
    },
  };
}
