import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { SECURITY_HEADERS } from '../session/security-headers.mjs';

/** What a browser shows of a page that the site cannot give now. It needs nothing else of the site. */

/** Whether a reader wants a page, not data: browsers name HTML, programs ask for anything. */
export const isBrowser = ({ accept = '' }: IncomingHttpHeaders): boolean =>
  accept.includes('text/html');

export function sendBusyPage(response: ServerResponse, retryAfterS = 1): void {
  response.writeHead(429, {
    ...SECURITY_HEADERS,
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'",
    'Cache-Control': 'no-store',
    'Retry-After': String(retryAfterS),
    Connection: 'close',
  });
  response.end(`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="refresh" content="${retryAfterS}">
<title>Too many requests</title>
<style>
  :root { color-scheme: light dark }
  body { font: 1rem/1.5 system-ui, sans-serif; max-width: 32rem; margin: 20vh auto; padding: 0 1rem }
</style>
<h1>Too many requests</h1>
<p>The site cannot serve this page now. It is loaded again in ${retryAfterS} s.</p>
`);
}
