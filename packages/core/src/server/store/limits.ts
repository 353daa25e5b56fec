import type { PrismaClient } from '@tilemark/db';
import { RateLimiterPrisma, RateLimiterRes } from 'rate-limiter-flexible';
import type { Store } from '../store';

const WINDOW_S = 60;

const waitFor = ({ msBeforeNext }: RateLimiterRes) => ({
  retryAfterS: Math.max(1, Math.ceil(msBeforeNext / 1_000)),
});

/** Counted in Postgres, which every deployment has: all replicas of the site share the counters. */
export function limitsOf(db: PrismaClient): Store['limits'] {
  /** Made when first asked for: each clears what has expired from time to time. */
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
    async take(key, perMinute) {
      try {
        await limiterOf(perMinute).consume(key);
        return null;
      } catch (refusal) {
        // It rejects with how it stands where the limit is passed, and with errors.
        if (!(refusal instanceof RateLimiterRes)) throw refusal;
        return waitFor(refusal);
      }
    },
    async passed(key, perMinute) {
      const counted = await limiterOf(perMinute).get(key);
      return counted && counted.consumedPoints >= perMinute ? waitFor(counted) : null;
    },
  };
}
