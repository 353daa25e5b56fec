import { operations } from '@/server/operations';
import { serve, signedIn } from '@/server/serve';

export const POST = serve(operations.refreshCoverage, ({ body, note, principal, services }) =>
  services.sweeps.refresh(body, signedIn(principal), note),
);
