import type { Limits } from '@tilemark/core/server';
import { HttpProblem } from '../problem';
import type { Services } from '../services';
import { PEER_HEADER } from './peer';

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
export async function checkLogInLimit(grid: Limited, headers: Headers): Promise<void> {
  const { store, settings } = grid;
  const perMinute = ADDRESSES * settings.limits.logIn;
  if (perMinute === 0) return;
  const passed = await store.limits.passed(ALL_LOG_INS, perMinute);
  if (!passed) await checkLimit(grid, 'logIn', addressOf(headers, settings.isBehindProxy));
  const over = passed ?? (await store.limits.take(ALL_LOG_INS, perMinute));
  if (over)
    throw tooMany(
      `At most ${perMinute} failed attempts to log in per minute from everywhere`,
      over,
    );
}

export const tooMany = (rule: string, { retryAfterS }: { readonly retryAfterS: number }) =>
  new HttpProblem(429, `${rule}: try again in ${retryAfterS} s.`, undefined, retryAfterS);

/**
 * The reader's address: what the proxy has added to X-Forwarded-For, where the deployment says
 * that there is one; else that of the connection, which no header can change.
 */
export function addressOf(
  headers: Headers,
  isBehindProxy: boolean,
  peer = headers.get(PEER_HEADER),
): string {
  const told = isBehindProxy ? headers.get('x-forwarded-for')?.split(',').at(-1)?.trim() : null;
  return (told || peer || 'unknown').slice(0, 60);
}
