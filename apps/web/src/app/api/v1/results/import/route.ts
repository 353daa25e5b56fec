import { importResults } from '@tilemark/core/server';
import { operations } from '@/server/operations';
import { serve, signedIn } from '@/server/serve';

export const POST = serve(operations.importResults, ({ body, principal, services }) =>
  importResults(services, body, signedIn(principal)),
);
