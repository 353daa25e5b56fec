import type { IncomingMessage } from 'node:http';

/** Where a request's connection comes from: the reader, or the proxy before the site. */
export const PEER_HEADER = 'x-tilemark-peer';

/**
 * Writes the address of the connection over whatever the client has sent under its name. Routes
 * see headers only, and Next leaves an X-Forwarded-For that the client made up as it is.
 */
export function stampPeer({ headers, socket }: IncomingMessage): void {
  headers[PEER_HEADER] = socket.remoteAddress ?? 'unknown';
}
