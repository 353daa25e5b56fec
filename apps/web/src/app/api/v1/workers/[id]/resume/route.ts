import { operations } from '@/server/operations';
import { found, serve } from '@/server/serve';

export const POST = serve(
  operations.resumeWorker,
  async ({ params: { id = '' }, note, services: { store } }) =>
    found(await store.workers.want(id, 'working', note), `There is no attached worker ${id}.`),
);
