import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { HonoAdapter } from '@bull-board/hono';
import { serveStatic } from '@hono/node-server/serve-static';
import { Hono } from 'hono';
import type { Worker } from '../../view/api';
import type { Queue } from './queue';

type BoardWorker = Pick<Worker, 'id' | 'name' | 'host' | 'attachedAt'>;

/** A device as the board shows its queue. */
interface BoardDevice {
  readonly key: string;
  /** Attached, busy or not. BullMQ knows only those whose connection it can name, and only in Redis. */
  readonly workers: readonly BoardWorker[];
}

/** Answers a request below `basePath`, showing the queues of these devices. */
export type Board = (request: Request, devices: readonly BoardDevice[]) => Promise<Response>;

/**
 * Bull Board over the queues: each device's runs as BullMQ sees them. Read-only, because
 * `reconcile` would undo any change. The caller decides who may look.
 *
 * @param basePath where it is mounted, for example `/queues`
 * @throws QueueUnavailable from the answers while the queue is unavailable
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
  const adapters = new Map<string, DeviceAdapter>();
  const adapterOf = async ({ key, workers }: BoardDevice): Promise<DeviceAdapter> => {
    const adapter =
      adapters.get(key) ?? new DeviceAdapter(await queue.jobsOf(key), { readOnlyMode: true });
    adapters.set(key, adapter);
    adapter.workers = workers;
    return adapter;
  };

  return async (request, devices) => {
    await queue.ping();
    board.replaceQueues(await Promise.all(devices.map(adapterOf)));
    const response = await app.fetch(request);
    const isPage = response.headers.get('content-type')?.startsWith('text/html') ?? false;
    return isPage ? withoutFonts(response) : response;
  };
}

/** A queue whose workers are the grid's own. */
class DeviceAdapter extends BullMQAdapter {
  workers: readonly BoardWorker[] = [];

  override async getWorkers() {
    return this.workers.map(({ attachedAt, host, id, name }) => ({
      ...{ id, name, addr: host },
      age: Math.round((Date.now() - Date.parse(attachedAt)) / 1_000),
    }));
  }
}

/** Bull Board's page loads fonts from another site, which would tell that site who looks at the queues. */
async function withoutFonts(response: Response): Promise<Response> {
  const html = await response.text();
  return new Response(html.replace(/<link href="https:\/\/fonts\.[^>]*>/, ''), response);
}
