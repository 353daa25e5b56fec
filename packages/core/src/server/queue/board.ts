import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { HonoAdapter } from '@bull-board/hono';
import { serveStatic } from '@hono/node-server/serve-static';
import { Hono } from 'hono';
import type { Queue } from '../queue';

/** Answers a request below `basePath`, showing the queues of these devices. */
export type Board = (request: Request, deviceKeys: readonly string[]) => Promise<Response>;

/**
 * Bull Board over the queues: what BullMQ itself holds of each device's runs. It only shows; what
 * it could change would be undone by `reconcile`, or seen on no page. Who may look is the caller's
 * to say.
 *
 * @param basePath where it is mounted, for example `/queues`
 * @throws QueueUnavailable from the answers, while the queue is away
 */
export function queueBoard(queue: Queue, basePath: string): Board {
  const server = new HonoAdapter(serveStatic).setBasePath(basePath);
  const board = createBullBoard({
    queues: [],
    serverAdapter: server,
    options: {
      uiConfig: {
        boardTitle: 'Tilemark queues',
        boardLogo: { path: '/icon.svg', width: 28, height: 28 },
      },
    },
  });
  const app = new Hono().route(basePath, server.registerPlugin());
  const adapters = new Map<string, BullMQAdapter>();
  const adapterOf = async (deviceKey: string): Promise<BullMQAdapter> => {
    const known = adapters.get(deviceKey);
    if (known) return known;
    const adapter = new BullMQAdapter(await queue.jobsOf(deviceKey), { readOnlyMode: true });
    adapters.set(deviceKey, adapter);
    return adapter;
  };

  return async (request, deviceKeys) => {
    await queue.ping();
    board.replaceQueues(await Promise.all(deviceKeys.map(adapterOf)));
    const response = await app.fetch(request);
    const isPage = response.headers.get('content-type')?.startsWith('text/html') ?? false;
    return isPage ? withoutFonts(response) : response;
  };
}

/** Its page asks another site for fonts, which tells that site who looks at the queues. */
async function withoutFonts(response: Response): Promise<Response> {
  const html = await response.text();
  return new Response(html.replace(/<link href="https:\/\/fonts\.[^>]*>/, ''), response);
}
