import { createServer, type RequestListener } from 'node:http';
import { fileURLToPath } from 'node:url';
import { getRequestListener } from '@hono/node-server';
import next from 'next';
import { handle } from './api/app';
import { doors } from './doors';
import { refuseMethod } from './methods';
import { sharedPages } from './pages/shared-pages';
import { stampPeer } from './session/peer';
import { openReads } from './session/reads';
import { SECURITY_HEADERS } from './session/security-headers.mjs';
import { turns } from './turns';
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

const CLOSE_IDLE_EVERY_MS = 100;

startUpkeep();
const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS });
await app.prepare();
const page = app.getRequestHandler();
// Next's own code uses the global Request, so that stays as it is.
const answerApi = getRequestListener(handle, { overrideGlobalObjects: false });
const api: RequestListener = (request, response) => {
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.setHeader(name, value);
  return answerApi(request, response);
};
/** Readers who are not logged in, answered at once. */
const strangers = turns(2);
const answer = doors({ api, page, pages: sharedPages(page, strangers) }, openReads, strangers);
server.on('request', (request, response) => {
  if (refuseMethod(request, response)) return;
  stampPeer(request);
  answer(request, response).catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
    if (!response.headersSent) response.writeHead(500);
    response.end();
  });
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
