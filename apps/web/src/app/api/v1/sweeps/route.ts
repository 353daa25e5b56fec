import { operations } from '@/server/operations';
import { serve } from '@/server/serve';

export const GET = serve(operations.listSweeps, ({ query, services: { store } }) =>
  store.sweeps.list(query.cursor),
);
