import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { getRequestListener } from '@hono/node-server';
import next from 'next';
import { doors } from './src/server/doors.mjs';
import { refuseMethod } from './src/server/methods.mjs';
import { sharedPages } from './src/server/pages/shared-pages.mjs';
import { stampPeer } from './src/server/session/peer.mjs';
import { SECURITY_HEADERS } from './src/server/session/security-headers.mjs';
import { turns } from './src/server/turns.mjs';

/**
 * `node serve.mjs PORT HOST`: the built site, as `next start` serves it, with the
 * reader's address stamped on requests, a limit to what each may read, and pages shared by readers
 * who are not logged in. What has a body never comes to Next, which would keep it first: the API
 * answers it, and looks at who asks before it reads.
 */

// A log on a full disk: an error of its own would be logged, which is an error again, for ever.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

const [port = '3000', hostname = '127.0.0.1'] = process.argv.slice(2);
const dir = dirname(fileURLToPath(import.meta.url));
// The configuration as it was built, passed on as the server.js that Next generates does: an image
// has no compiler for next.config.ts.
const built = JSON.parse(await readFile(join(dir, '.next', 'required-server-files.json'), 'utf8'));
// biome-ignore lint/style/noProcessEnv: set for Next, not read
process.env.__NEXT_PRIVATE_STANDALONE_CONFIG = JSON.stringify(built.config);
// Without its host: 127.0.0.1 is localhost to the proxy, and what it rewrites would be another site.
const app = next({ dev: false, dir, port: Number(port) });

/** Longer than proxies keep theirs, and than a worker is silent: else each heartbeat connects again. */
const KEEP_ALIVE_MS = 75_000;

const CLOSE_IDLE_EVERY_MS = 100;

const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS });
await app.prepare();
const handle = app.getRequestHandler();
// Next's own code uses the global Request, so that stays as it is.
const answerApi = getRequestListener((request, node) => globalThis.tilemark.handle(request, node), {
  overrideGlobalObjects: false,
});
/** @type {import('node:http').RequestListener} */
const api = (request, response) => {
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.setHeader(name, value);
  return answerApi(request, response);
};
const strangers = turns();
const answer = doors(
  { api, page: handle, pages: sharedPages(handle, strangers) },
  () => globalThis.tilemark,
  strangers,
);
server.on('request', (request, response) => {
  if (refuseMethod(request, response)) return;
  stampPeer(request);
  answer(request, response).catch((error) => {
    process.stderr.write(`${error?.stack ?? error}\n`);
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
