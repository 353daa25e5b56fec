import { HttpProblem } from '../problem';

/**
 * The address under which the asker reaches this grid. A proxy that terminates TLS says it in
 * X-Forwarded-Proto and X-Forwarded-Host; of several proxies the first speaks with the asker.
 */
export function originOf(headers: Headers): string {
  const forwarded = (name: string) => headers.get(name)?.split(',')[0]?.trim();
  const host = forwarded('x-forwarded-host') ?? headers.get('host') ?? 'localhost';
  const url = `${forwarded('x-forwarded-proto') ?? 'http'}://${host}`;
  return URL.canParse(url) ? new URL(url).origin : 'http://localhost';
}

/** Whether the asker came over https, here or at a proxy before us. */
export const isSecure = ({ headers, url }: Request): boolean =>
  (headers.get('x-forwarded-proto') ?? new URL(url).protocol).startsWith('https');

/**
 * Refuses a write that a cookie would authenticate from another site. Browsers
 * send Sec-Fetch-Site; older ones send Origin with every POST and DELETE.
 */
export function checkSameOrigin(headers: Headers): void {
  const site = headers.get('sec-fetch-site');
  const origin = headers.get('origin');
  const same = site
    ? site === 'same-origin' || site === 'none'
    : origin !== null && origin === originOf(headers);
  if (!same) throw new HttpProblem(403, 'This request comes from another site.');
}
