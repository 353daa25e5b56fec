import { operations } from '@/server/operations';
import { found, serve } from '@/server/serve';

export const GET = serve(
  operations.getResult,
  async ({ params: { id = '' }, services: { store } }) =>
    found(await store.results.get(id), `There is no result ${id}.`),
);
