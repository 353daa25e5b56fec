import { submitSweep } from '@tilemark/core/server';
import { operations } from '@/server/operations';
import { serve, signedIn } from '@/server/serve';

export const GET = serve(operations.listSweeps, ({ query, services: { store } }) =>
  store.sweeps.list(query.cursor),
);

export const POST = serve(operations.createSweep, async ({ body, principal, services }) =>
  submitSweep(services, body, signedIn(principal)),
);
