import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Principal } from '@tilemark/core/server';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { Counts } from '../counts';
import type { Settings } from '../services';
import { turns } from '../turns';
import { addressOf, type RequestContext, tooMany } from './limit';

/**
 * How much of the site one reader may have. A process answers one request at a time, so every answer
 * is paid for with the time that it takes, about; who has used up theirs is told 429 and when to
 * come back, before anything is read. Addresses have little, tokens and sessions more, and all
 * addresses together not the whole process: workers, and who is logged in, have the rest. Counted in
 * memory: each replica has time of its own to give.
 */

/** About what an answer takes of a process, ms; by its query and path where they decide. 0: it is free. */
export type Cost = number | ((query: URLSearchParams, path: string) => number);
export function msOf(cost: Cost, { raw }: RequestContext['req']): number {
  if (typeof cost === 'number') return cost;
  const { pathname, searchParams } = new URL(raw.url);
  return cost(searchParams, pathname);
}
export const COSTS = {
  page: 100,
  /** A page that asks nothing of the database. */
  document: 10,
  /** Of the API. */
  answer: 8,
  /** A board, or the description of the API. */
  board: 40,
  /** The best results of a device on every problem. */
  device: 100,
  /** Every run of a sweep. */
  table: 300,
  /** Of a worker: what it does for each run, by which others are served together, and a heartbeat. */
  run: 0.5,
  beat: 2,
  /** A stream of events: the first has the newest results. */
  events: 50,
} as const;

const WINDOW_S = 10;
/** A logged-in reader may have so many times the time of an address, up to this part of the process. */
const LOGGED_IN = { times: 5, most: 0.5 };
/** All addresses together: this part of the process. */
const STRANGERS = 0.5;
/** Those who are not logged in are answered so few at a time: others wait for a step of as many. */
const AT_ONCE = 2;
/** Waiting for their turn: about two seconds of answers. */
const MOST_WAITING = 20;
/** Those who wait are served by then. */
const BUSY_S = 2;
/** Streams stay open: so many at once of one reader, and of all that are logged in, or are not. */
const MOST_STREAMS = { each: 60, all: 300 };
/**
 * Of long bodies of a token, so many may be refused in so many seconds: reading and checking the largest
 * takes a tenth of a second, and nobody has many. A worker that is told to wait keeps its results.
 */
const MOST_REFUSED = { points: 6, duration: 5 };

/**
 * Tokens of an address that may turn out unknown in a window. More are refused before they are looked
 * up, but for those that were good within this time, s.
 */
const MOST_UNKNOWN = 125;
const GOOD_S = 60;

/** Who asks: the id of a token where they are logged in, and else an address. */
export interface Reader {
  readonly isLoggedIn: boolean;
  readonly key: string;
}
export const readerOf = (
  context: RequestContext,
  principal: Principal | null,
  { isBehindProxy }: Pick<Settings, 'isBehindProxy'>,
): Reader =>
  principal
    ? { isLoggedIn: true, key: principal.tokenId }
    : { isLoggedIn: false, key: addressOf(context, isBehindProxy) };

export type Reads = ReturnType<typeof readsOf>;

const retryAfter = (msBeforeNext: number) => ({
  retryAfterS: Math.max(1, Math.ceil(msBeforeNext / 1_000)),
});

/** @param perMinute pages of an address; 0: no limit */
export function readsOf(perMinute: number) {
  const own = (perMinute * COSTS.page * WINDOW_S) / 60;
  const limiter = (points: number) => new RateLimiterMemory({ points, duration: WINDOW_S });
  const part = (of: number) => Math.max(own, of * WINDOW_S * 1_000);
  const ofAddress = limiter(own);
  const ofToken = limiter(Math.min(LOGGED_IN.times * own, part(LOGGED_IN.most)));
  const ofStrangers = limiter(part(STRANGERS));
  const strangers = turns(AT_ONCE);
  const refusals = new RateLimiterMemory(MOST_REFUSED);
  const unknown = limiter(MOST_UNKNOWN);
  const good = new RateLimiterMemory({ points: 1, duration: GOOD_S });
  const streams = new Counts();
  const checkWaiting = () => {
    if (strangers.waiting() < MOST_WAITING) return;
    const rule = 'More readers are waiting than the site can serve';
    throw tooMany(rule, { retryAfterS: BUSY_S });
  };
  return {
    /** Takes what an answer costs. Throws 429 where the reader, or all that are not logged in, have no more. */
    async take({ isLoggedIn, key }: Reader, ms: number): Promise<void> {
      if (perMinute === 0 || ms === 0) return;
      // All that one may have, where it takes more: else nobody ever could have it.
      const points = Math.min(ms, own);
      try {
        await (isLoggedIn ? ofToken : ofAddress).consume(key, points);
        if (!isLoggedIn) await ofStrangers.consume('all', points);
      } catch (refusal) {
        if (!(refusal instanceof RateLimiterRes)) throw refusal;
        const rule = 'This reads more than the site can give to one reader';
        throw tooMany(rule, retryAfter(refusal.msBeforeNext));
      }
    },
    /**
     * As `take`, of an answer that is sent at once: who is not logged in waits for a turn, until the
     * answer is sent. Throws 429 where too many wait already.
     */
    async takeTurn(reader: Reader, ms: number, response?: ServerResponse): Promise<void> {
      if (ms > 0 && !reader.isLoggedIn) checkWaiting();
      await this.take(reader, ms);
      if (ms === 0 || reader.isLoggedIn || !response) return;
      // Others came to wait meanwhile.
      checkWaiting();
      const end = await strangers.next();
      if (response.destroyed) return end();
      response.once('close', end);
    },
    /** Counts a stream until its response closes. Throws 429 where too many are open. */
    openStream({ isLoggedIn, key }: Reader, response?: ServerResponse): void {
      const all = isLoggedIn ? 'logged in' : 'not logged in';
      const mine = `${all} ${key}`;
      const isFull = streams.of(mine) >= MOST_STREAMS.each || streams.of(all) >= MOST_STREAMS.all;
      if (perMinute > 0 && isFull) {
        const rule = 'More streams are open than the site can serve';
        throw tooMany(rule, { retryAfterS: WINDOW_S });
      }
      const count = (more: number) => {
        for (const name of [mine, all]) streams.add(name, more);
      };
      count(1);
      response?.once('close', () => count(-1));
    },
    /** What `find` makes of a token. Throws 429, without asking, where its address sends too many unknown ones. */
    async lookUp<T>(secret: string, address: string, find: () => Promise<T>): Promise<T> {
      const name = createHash('sha256').update(secret).digest('base64');
      // Counted before it is looked up, since many may come at once.
      const counted = (await good.get(name)) ? null : await unknown.penalty(address);
      if (perMinute > 0 && counted && counted.consumedPoints > MOST_UNKNOWN) {
        const rule = 'This address has sent too many unknown tokens';
        throw tooMany(rule, retryAfter(counted.msBeforeNext));
      }
      const found = await find();
      if (!found) return found;
      if (counted) await unknown.reward(address);
      await good.set(name, 1, GOOD_S);
      return found;
    },
    /** Throws 429 for a sender of whom too much was refused. */
    async checkRefusals(sender: string): Promise<void> {
      const counted = await refusals.get(sender);
      if (!counted || counted.consumedPoints < MOST_REFUSED.points) return;
      const rule = 'Too much of what this token sends is refused';
      throw tooMany(rule, retryAfter(counted.msBeforeNext));
    },
    countRefusal: (sender: string) => refusals.penalty(sender),
  };
}
