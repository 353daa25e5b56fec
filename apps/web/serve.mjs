import { createServer } from 'node:http';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import next from 'next';
import { keptPages } from './src/server/kept-pages.mjs';
import { stampPeer } from './src/server/peer.mjs';

/** `node serve.mjs PORT HOST`: the built site, as `next start` serves it, with its pages kept. */

const [port = '3000', hostname = '127.0.0.1'] = process.argv.slice(2);
const app = next({
  dev: false,
  dir: dirname(fileURLToPath(import.meta.url)),
  hostname,
  port: Number(port),
});

/** The site's own store, once it is open: routes and pages share it by the process's global. */
const versionNow = async () => {
  const services = await globalThis.tilemarkServices;
  return services ? services.store.version() : null;
};

const server = createServer();
await app.prepare();
const handle = app.getRequestHandler();
const answer = keptPages((request, response) => handle(request, response), versionNow);
server.on('request', (request, response) => {
  stampPeer(request);
  answer(request, response).catch((error) => {
    process.stderr.write(`${error?.stack ?? error}\n`);
    if (!response.headersSent) response.writeHead(500);
    response.end();
  });
});
server.listen(Number(port), hostname);

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => {
    // The upkeep ends the open streams meanwhile.
    server.close(() => process.exit(0));
    server.closeIdleConnections();
  });
}
