import { listedWorkers } from '@/server/listed-workers';
import { operations } from '@/server/operations';
import { serve } from '@/server/serve';

export const GET = serve(operations.listWorkers, async ({ principal, services: { store } }) => ({
  items: await listedWorkers(store, principal),
  nextCursor: null,
}));
