import type { IncomingHttpHeaders } from 'node:http';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { HttpProblem } from '../problem';
import { type Services, services } from '../services';
import { addressOf, tooMany } from './limit';
import { identify } from './principal';

/**
 * How much of the site one reader may have. A process answers one request at a time, so every answer
 * is paid for with the time that it takes, about; who has used up theirs is told 429 and when to
 * come back, before anything is read. Addresses have little, tokens and sessions more, and all
 * addresses together not the whole process: workers, and who is logged in, have the rest. Counted in
 * memory: each replica has time of its own to give.
 */

/** About what an answer takes of a process, ms. */
export const COSTS = {
  /** A page that another reader has just had. */
  kept: 2,
  /** Text that asks nothing of the database. */
  document: 10,
  page: 100,
  /** Rendered as an image. */
  picture: 200,
  /** Of the API. */
  answer: 8,
  /** Every run of a sweep. */
  table: 300,
  /** A row of a table of the best: a search among hundreds of variants. */
  question: 20,
  /** A stream of events. */
  events: 20,
} as const;
export type Cost = keyof typeof COSTS;

const WINDOW_S = 10;
/** A logged-in reader may have so many times the time of an address. */
const KNOWN = 5;
/** All addresses together: this part of the process. */
const STRANGERS = 0.5;
const STRANGERS_KEY = 'all addresses';
/** Those who wait are served by then. */
const BUSY_S = 2;
/** Streams stay open: so many at once of one reader, and of all. */
const MOST_STREAMS = { each: 60, all: 300 };

export interface Asked {
  readonly headers: IncomingHttpHeaders;
  /** Of the connection. */
  readonly peer: string;
}

/** Who asks, as far as that decides what they may have. */
export interface Reader {
  /** A token or session that is valid. */
  readonly isKnown: boolean;
  readonly key: string;
}

export interface Reads {
  reader(asked: Asked): Promise<Reader>;
  /** Null, or why not now. */
  take(reader: Reader, cost: Cost, times?: number): Promise<HttpProblem | null>;
  /** Why not now: others wait already. */
  noneLeft(): HttpProblem;
  /** Counts an open stream until `release`; null, or why not now. */
  open(reader: Reader): { release(): void } | HttpProblem;
}

/** @param perMinute pages of an address; 0: no limit */
export function readsOf(
  opened: Pick<Services, 'store' | 'settings'>,
  perMinute = opened.settings.limits.read,
): Reads {
  const own = (perMinute * COSTS.page * WINDOW_S) / 60;
  const limiter = (points: number) => new RateLimiterMemory({ points, duration: WINDOW_S });
  const [address, known] = [limiter(own), limiter(KNOWN * own)];
  const strangers = limiter(Math.max(own, STRANGERS * WINDOW_S * 1_000));
  const streams = new Map<string, number>();
  let openStreams = 0;
  return {
    async reader({ headers, peer }) {
      const given = new Headers();
      for (const name of ['authorization', 'cookie', 'x-forwarded-for']) {
        const value = headers[name];
        if (typeof value === 'string') given.set(name, value);
      }
      const isNamed = given.has('authorization') || given.has('cookie');
      const { principal } = isNamed
        ? await identify(given, opened as Services).catch(() => ({ principal: null }))
        : { principal: null };
      if (principal) return { isKnown: true, key: principal.tokenId };
      return { isKnown: false, key: addressOf(given, opened.settings.isBehindProxy, peer) };
    },
    async take({ isKnown, key }, cost, times = 1) {
      if (perMinute === 0) return null;
      try {
        // All that one may have, where it takes more: else nobody ever could have it.
        const points = Math.min(times * COSTS[cost], own);
        await (isKnown ? known : address).consume(key, points);
        if (!isKnown) await strangers.consume(STRANGERS_KEY, points);
        return null;
      } catch (refusal) {
        if (!(refusal instanceof RateLimiterRes)) throw refusal;
        return tooMany('This reads more than the site can give to one reader', {
          retryAfterS: Math.max(1, Math.ceil(refusal.msBeforeNext / 1_000)),
        });
      }
    },
    noneLeft: () =>
      tooMany('More readers are waiting than the site can serve', { retryAfterS: BUSY_S }),
    open({ key }) {
      const own = streams.get(key) ?? 0;
      if (perMinute > 0 && (own >= MOST_STREAMS.each || openStreams >= MOST_STREAMS.all)) {
        return tooMany('More streams are open than the site can serve', { retryAfterS: WINDOW_S });
      }
      streams.set(key, own + 1);
      openStreams += 1;
      return {
        release() {
          openStreams -= 1;
          const left = (streams.get(key) ?? 1) - 1;
          if (left > 0) streams.set(key, left);
          else streams.delete(key);
        },
      };
    },
  };
}

let reads: Promise<Reads> | null = null;

/** Of this process. */
export function openReads(): Promise<Reads> {
  reads ??= services().then(readsOf);
  reads.catch(() => {
    reads = null;
  });
  return reads;
}
