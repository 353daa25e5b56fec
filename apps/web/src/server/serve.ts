import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import next from 'next';
import { handle } from './api/app';
import { startUpkeep } from './upkeep';

/**
 * `node dist/serve.mjs PORT HOST`: the site on one port. The API is this program; pages are Next's,
 * in the same process, which bundles its own copy of what they read with: the two share the
 * database and nothing else. What has a body never comes to Next, which would keep it first.
 */

// A log on a full disk: an error of its own would be logged, which is an error again, for ever.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

const [port = '3000', hostname = '127.0.0.1'] = process.argv.slice(2);
const dir = fileURLToPath(new URL('..', import.meta.url));
// Without its host: 127.0.0.1 is localhost to the proxy, and what it rewrites would be another site.
const app = next({ dev: false, dir, port: Number(port) });

/** Longer than proxies keep theirs, and than a worker is silent: else each heartbeat connects again. */
const KEEP_ALIVE_MS = 75_000;

/** Sent with every answer; the content security policy, which needs a nonce, is set in proxy.ts. */
const SECURITY_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
};

const CLOSE_IDLE_EVERY_MS = 100;

startUpkeep();
const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS });
await app.prepare();
const page = app.getRequestHandler();
const answer = getRequestListener(
  (request, node) => handle(request, { ...(node as HttpBindings), page }),
  {
    // Next's own code uses the global Request, so that stays as it is.
    overrideGlobalObjects: false,
  },
);
server.on('request', (request, response) => {
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.setHeader(name, value);
  void answer(request, response);
});
// Next catches what nobody else does, logs it and goes on: without a port the process would wait for
// nothing, or end with code 0.
server.on('error', (error) => {
  process.stderr.write(`The site cannot listen on ${hostname}:${port}: ${error.message}\n`);
  process.exit(1);
});
server.listen(Number(port), hostname);

process.once('beforeExit', () => {
  process.stderr.write('The site ended though nobody stopped it.\n');
  process.exit(1);
});
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => {
    process.stderr.write(`The site stops on ${signal}.\n`);
    // The upkeep ends the open streams meanwhile.
    server.close(() => process.exit(0));
    // Those of workers that are being answered are idle only then.
    setInterval(() => server.closeIdleConnections(), CLOSE_IDLE_EVERY_MS);
  });
}
