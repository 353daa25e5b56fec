import { operations } from '@/server/operations';
import { found, serve } from '@/server/serve';

export const GET = serve(operations.getBest, async ({ query, services: { store } }) =>
  found(
    await store.best(query),
    `No ranked result of ${query.op} ${query.dtype} with profile ${query.profile} can say what to run.`,
  ),
);
