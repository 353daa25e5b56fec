import { operations } from '@/server/operations';
import { serve, signedIn } from '@/server/serve';

export const POST = serve(operations.importResults, ({ body, note, principal, services }) =>
  services.sweeps.import(body, signedIn(principal), note),
);
