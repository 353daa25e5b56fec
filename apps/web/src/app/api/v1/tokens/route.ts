import { operations } from '@/server/operations';
import { serve } from '@/server/serve';

export const GET = serve(operations.listTokens, ({ query, services: { store } }) =>
  store.tokens.list(query.cursor),
);

export const POST = serve(
  operations.createToken,
  ({ body: { name, role, expiresAt }, note, services: { store } }) =>
    store.tokens.create({ name, role, expiresAt: expiresAt ? new Date(expiresAt) : null, note }),
);
