import type { PrismaClient } from '@tilemark/db';
import { RateLimiterPrisma, type RateLimiterRes } from 'rate-limiter-flexible';

const WINDOW_S = 60;

/** The limiter of so many requests per minute. */
export type Limiters = (perMinute: number) => RateLimiterPrisma;

/** Rate limits, counted in Postgres so that all replicas of the site share the counters. */
export function openLimiters(db: PrismaClient): Limiters {
  /** Made on first use: each clears expired counters from time to time. */
  const limiters = new Map<number, RateLimiterPrisma>();
  return (perMinute) => {
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
}

export interface Wait {
  readonly retryAfterS: number;
}

export const waitFor = ({ msBeforeNext }: RateLimiterRes): Wait => ({
  retryAfterS: Math.max(1, Math.ceil(msBeforeNext / 1_000)),
});
