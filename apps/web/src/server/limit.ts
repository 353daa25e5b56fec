import type { Limits } from '@tilemark/core/server';
import { HttpProblem } from './problem';
import type { Services } from './services';

/** Addresses can be forged where no proxy writes them: all together log in no oftener than this. */
const ADDRESSES = 20;

/** Throws 429 where somebody asks for more than a limit of the deployment allows. */
export async function checkLimit(
  { store, settings }: Pick<Services, 'store' | 'settings'>,
  limit: keyof Limits,
  who: string,
): Promise<void> {
  const perMinute = settings.limits[limit];
  if (perMinute === 0) return;
  const over =
    (await store.limits.take(`${limit} ${who}`, perMinute)) ??
    (limit === 'logIn' ? await store.limits.take('logIn', ADDRESSES * perMinute) : null);
  if (!over) return;
  const { retryAfterS } = over;
  throw new HttpProblem(
    429,
    `At most ${perMinute} of these a minute: try again in ${retryAfterS} s.`,
    undefined,
    retryAfterS,
  );
}

/** The reader's address: what the nearest proxy, or Next itself, has added to the header. */
export const addressOf = (request: Request): string =>
  request.headers.get('x-forwarded-for')?.split(',').at(-1)?.trim().slice(0, 60) ?? 'unknown';
