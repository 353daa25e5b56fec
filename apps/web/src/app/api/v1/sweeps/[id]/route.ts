import { operations } from '@/server/operations';
import { found, serve } from '@/server/serve';

export const GET = serve(
  operations.getSweep,
  async ({ params: { id = '' }, services: { store } }) =>
    found(await store.sweeps.get(id), `There is no sweep ${id}.`),
);
