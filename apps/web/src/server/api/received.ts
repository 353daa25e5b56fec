import type { HttpBindings } from '@hono/node-server';
import { MAXIMA } from '@tilemark/core';
import type { Principal } from '@tilemark/core/server';
import { Counts } from '../counts';
import { HttpProblem } from '../problem';
import type { RequestContext } from '../session/limit';

/** Where a body comes from. */
export interface Source {
  readonly raw: Request;
  /** Read where it is there: a web stream around it costs more than the JSON. */
  readonly incoming?: Pick<HttpBindings['incoming'], 'iterator'> | undefined;
  /** What all bodies of one may take is bounded. */
  readonly sender: string;
}

export const sourceOf = (
  { env, req }: RequestContext,
  principal: Pick<Principal, 'tokenId'> | null,
): Source => ({
  raw: req.raw,
  incoming: env?.incoming,
  sender: principal?.tokenId ?? 'nobody',
});

/** What bodies may take while they are read. */
export interface Bounds {
  /** Of long bodies: all together, and those of one sender. */
  readonly roomBytes: number;
  readonly shareBytes: number;
  /** What each body may have without room: heartbeats, most outcomes, and all that people type. */
  readonly shortBytes: number;
  /** A short body ends within this. */
  readonly shortMs: number;
  /** A longer one brings so many bytes in each such time, and ends within the longest. */
  readonly leastBytes: number;
  readonly everyMs: number;
  readonly longestMs: number;
}
export const BOUNDS: Bounds = {
  roomBytes: 2 * MAXIMA.bytes.import,
  shareBytes: MAXIMA.bytes.import,
  shortBytes: 65_536,
  shortMs: 30_000,
  leastBytes: 64_000,
  everyMs: 5_000,
  longestMs: 120_000,
};
const COME_BACK_S = 5;
/** Bytes of long bodies, by sender and of all. */
const held = new Counts();
const ALL = 'all';

/** Rejects once a body, of which so many bytes have come, is slower than its bounds allow. */
function paceOf(
  { everyMs, leastBytes, longestMs, shortBytes, shortMs }: Bounds,
  bytesNow: () => number,
) {
  const startedMs = performance.now();
  let before = 0;
  let watch: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    watch = setInterval(() => {
      const bytes = bytesNow();
      const isShort = bytes <= shortBytes;
      const isSlow = !isShort && bytes - before < leastBytes;
      if (isSlow || performance.now() - startedMs > (isShort ? shortMs : longestMs)) {
        const rule = `at least ${leastBytes / 1e3} kB per ${everyMs / 1e3} s`;
        const message = `The body arrives too slowly: send ${rule}, or a shorter one.`;
        reject(new HttpProblem(408, message));
      }
      before = bytes;
    }, everyMs);
  });
  late.catch(() => undefined);
  return { late, end: () => clearInterval(watch) };
}

/** Room for what a body has beyond a short one. */
function roomOf(sender: string, { roomBytes, shareBytes, shortBytes }: Bounds) {
  let taken = 0;
  const take = (more: number) => {
    held.add(ALL, more);
    held.add(`by ${sender}`, more);
    taken += more;
  };
  return {
    /** Throws 429 where there is no room for a body of so many bytes. */
    takeFor: (bytes: number) => {
      const more = Math.max(0, bytes - shortBytes) - taken;
      if (held.of(ALL) + more > roomBytes || held.of(`by ${sender}`) + more > shareBytes) {
        const rule = `The site is reading as much as it can: try again in ${COME_BACK_S} s.`;
        throw new HttpProblem(429, rule, undefined, COME_BACK_S);
      }
      take(more);
    },
    leave: () => take(-taken),
  };
}

/** Reads a body to its end and has it used; it takes room until then. */
export async function received<T>(
  { incoming, raw, sender }: Source,
  maxBytes: number,
  bounds: Bounds,
  use: (sent: Buffer) => T | Promise<T>,
): Promise<T> {
  const tooLarge = () => new HttpProblem(413, `Send at most ${maxBytes / 1e6} MB.`);
  if (Number(raw.headers.get('content-length') ?? 0) > maxBytes) throw tooLarge();
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const [pace, room] = [paceOf(bounds, () => bytes), roomOf(sender, bounds)];
  // What is left of a body that is refused is read later: else the next request of its connection,
  // which lies behind it, would never be answered.
  const body = incoming?.iterator({ destroyOnReturn: false }) ?? raw.body;
  const parts = body?.[Symbol.asyncIterator]();
  try {
    while (parts) {
      const { done, value } = await Promise.race([parts.next(), pace.late]);
      if (done) break;
      bytes += value.length;
      if (bytes > maxBytes) throw tooLarge();
      room.takeFor(bytes);
      chunks.push(value);
    }
    pace.end();
    return await use(Buffer.concat(chunks));
  } finally {
    pace.end();
    room.leave();
    // Not awaited: what is late may never come.
    void parts?.return?.().catch(() => undefined);
  }
}
