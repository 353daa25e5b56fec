import { operations } from '@/server/operations';
import { serve } from '@/server/serve';

export const GET = serve(operations.listWorkers, async ({ services: { store } }) => ({
  items: await store.workers.list(),
  nextCursor: null,
}));
