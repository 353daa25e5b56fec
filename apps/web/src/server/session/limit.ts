import { isIPv6 } from 'node:net';
import type { HttpBindings } from '@hono/node-server';
import type { Limits } from '@tilemark/core/server';
import { HttpProblem } from '../problem';
import type { Services } from '../services';

/** All addresses together may fail as often as this many of one: a network has many. */
const ADDRESSES = 20;
const ALL_LOG_INS = 'logIn';

type Limited = Pick<Services, 'store' | 'settings'>;

/** Throws 429 where somebody asks for more than a limit of the deployment allows. */
export async function checkLimit(
  { store, settings }: Limited,
  limit: keyof Limits,
  who: string,
): Promise<void> {
  const perMinute = settings.limits[limit];
  if (perMinute === 0) return;
  const over = await store.limits.take(`${limit} ${who}`, perMinute);
  if (over) throw tooMany(`At most ${perMinute} of these per minute`, over);
}

/**
 * Counts a login that failed. Throws 429 for an address that fails too often, and for every address
 * while all together do. Those are looked at first and counted last: what is refused does not leave a
 * counter for each address behind. What would have logged in is never refused: a secret cannot be
 * guessed, and who has it must get in while others try.
 */
export async function checkLogInLimit(grid: Limited, context: RequestContext): Promise<void> {
  const { store, settings } = grid;
  const perMinute = ADDRESSES * settings.limits.logIn;
  if (perMinute === 0) return;
  const passed = await store.limits.passed(ALL_LOG_INS, perMinute);
  if (!passed) await checkLimit(grid, 'logIn', addressOf(context, settings.isBehindProxy));
  const over = passed ?? (await store.limits.take(ALL_LOG_INS, perMinute));
  if (over)
    throw tooMany(
      `At most ${perMinute} failed attempts to log in per minute from everywhere`,
      over,
    );
}

export const tooMany = (rule: string, { retryAfterS }: { readonly retryAfterS: number }) =>
  new HttpProblem(429, `${rule}: try again in ${retryAfterS} s.`, undefined, retryAfterS);

/** A request, with its connection where it came by one. */
export interface RequestContext {
  readonly env: Partial<HttpBindings> | undefined;
  readonly req: { readonly raw: Request };
}

/**
 * The reader's address: the one the proxy has added to X-Forwarded-For, where the deployment says
 * that there is one; else that of the connection, which no header can change. Of IPv6, its network:
 * whoever has one address has all of a /64.
 */
export function addressOf({ env, req }: RequestContext, isBehindProxy: boolean): string {
  const forwarded = req.raw.headers.get('x-forwarded-for');
  const client = isBehindProxy ? forwarded?.split(',').at(-1)?.trim() : null;
  const address = client || env?.incoming?.socket.remoteAddress || 'unknown';
  return isIPv6(address) ? networkOf(address) : address.slice(0, 60);
}

/** The /64 of an IPv6 address; the IPv4 address that one stands for. */
function networkOf(address: string): string {
  const [bare] = address.split('%');
  const [head = [], tail = []] = new URL(`http://[${bare}]`).hostname
    .slice(1, -1)
    .split('::')
    .map((part) => part.split(':').filter(Boolean));
  const groups = [...head, ...Array<string>(8 - head.length - tail.length).fill('0'), ...tail];
  if (groups.slice(0, 6).join(':') !== '0:0:0:0:0:ffff') return `${groups.slice(0, 4).join(':')}::`;
  const last = groups.slice(6).map((group) => Number.parseInt(group, 16));
  return last.flatMap((two) => [two >> 8, two & 255]).join('.');
}
