import { operations } from '@/server/operations';
import { serve } from '@/server/serve';

export const GET = serve(operations.listQueues, async ({ services: { store } }) => ({
  items: await store.workers.queues(),
  nextCursor: null,
}));
