import type { Context } from 'hono';

/**
 * A redirect to a page of this site. The address stays relative, since only
 * the reader knows under which name the site was reached.
 */
export function seeOther(c: Context, path: string): Response {
  c.header('Cache-Control', 'no-store');
  return c.redirect(path, 303);
}

/** Where a page finds its own address, to come back to after the login. */
export const PATH_HEADER = 'x-tilemark-path';

/** No site has this name: an address that leaves it leads elsewhere. */
const HERE = 'http://here.invalid';

/**
 * A path of this site to go on to, from what an address or a form asked for. What
 * would lead to another site (`//elsewhere`, `/\\elsewhere`, `https:...`) or back to
 * logging in is `/`.
 */
export function localPath(asked: unknown): string {
  if (typeof asked !== 'string' || !asked.startsWith('/') || !URL.canParse(asked, HERE)) return '/';
  const { hash, origin, pathname, search } = new URL(asked, HERE);
  const isElsewhere = origin !== HERE || pathname.startsWith('//');
  return isElsewhere || /^\/log(in|out)(\/|$)/.test(pathname) ? '/' : `${pathname}${search}${hash}`;
}
