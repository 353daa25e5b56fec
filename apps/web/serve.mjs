import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { getRequestListener } from '@hono/node-server';
import next from 'next';
import { refuseMethod } from './src/server/methods.mjs';
import { sharedPages } from './src/server/pages/shared-pages.mjs';
import { stampPeer } from './src/server/session/peer.mjs';

/**
 * `node serve.mjs PORT HOST`: the built site, as `next start` serves it, with the
 * reader's address stamped on requests, pages shared by readers who are not logged in, and
 * the requests of workers answered before Next's pipeline, which costs more than their answers.
 */

/** What workers ask all the time. */
const OF_WORKERS = /^\/api\/v1\/workers\/[^/?]+\/(next|heartbeat|runs\/[^/?]+\/(outcome|release))$/;

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
const answer = sharedPages(app.getRequestHandler());
// Set by instrumentation.ts, a moment after the server answers. Next's own code uses the global
// Request, so that stays as it is.
const answerWorker = getRequestListener((request, node) => globalThis.tilemarkApi(request, node), {
  overrideGlobalObjects: false,
});
server.on('request', (request, response) => {
  if (refuseMethod(request, response)) return;
  const isOfWorker =
    globalThis.tilemarkApi && request.method === 'POST' && OF_WORKERS.test(request.url ?? '');
  if (isOfWorker) response.setHeader('X-Content-Type-Options', 'nosniff');
  else stampPeer(request);
  const answered = isOfWorker ? answerWorker(request, response) : answer(request, response);
  answered.catch((error) => {
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
