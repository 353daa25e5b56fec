import { operations } from '@/server/operations';
import { serve } from '@/server/serve';

export const GET = serve(
  operations.listAudit,
  ({ query: { cursor, action, actor }, services: { store } }) =>
    store.audit.list({ cursor, action, actorId: actor }),
);
