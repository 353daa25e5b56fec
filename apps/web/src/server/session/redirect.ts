import type { Context } from 'hono';

/**
 * A redirect to a page of this site. The address stays relative, since only
 * the reader knows under which name the site was reached.
 */
export function seeOther(c: Context, path: string): Response {
  c.header('Cache-Control', 'no-store');
  return c.redirect(path, 303);
}

/** The header with a page's own address, to come back to after the login. */
export const PATH_HEADER = 'x-tilemark-path';

/** No site has this name: an address that leaves it leads elsewhere. */
const HERE = 'http://here.invalid';

/**
 * A path of this site to go on to, from what an address or a form asked for. What
 * would lead to another site (`//elsewhere`, `/\\elsewhere`, `https:...`) or back to
 * logging in is `/`.
 */
export function localPath(path: unknown): string {
  if (typeof path !== 'string' || !path.startsWith('/') || !URL.canParse(path, HERE)) return '/';
  const { hash, origin, pathname, search } = new URL(path, HERE);
  const isElsewhere = origin !== HERE || pathname.startsWith('//');
  return isElsewhere || /^\/log(in|out)(\/|$)/.test(pathname) ? '/' : `${pathname}${search}${hash}`;
}
