import { operations } from '@/server/operations';
import { found, serve } from '@/server/serve';

export const POST = serve(
  operations.drainWorker,
  async ({ params: { id = '' }, note, services: { store } }) =>
    found(await store.workers.want(id, 'drained', note), `There is no attached worker ${id}.`),
);
