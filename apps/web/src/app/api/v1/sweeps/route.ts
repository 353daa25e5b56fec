import type { Principal, SubmitOptions } from '@tilemark/core/server';
import { operations } from '@/server/operations';
import { serve, signedIn } from '@/server/serve';

export const GET = serve(operations.listSweeps, ({ query, services: { store } }) =>
  store.sweeps.list(query.cursor),
);

export const POST = serve(operations.createSweep, ({ body, note, principal, request, services }) =>
  services.sweeps.submit(body, signedIn(principal), { ...idempotency(request, principal), note }),
);

/** A client that does not know whether its request arrived sends it again under the same key. */
function idempotency(request: Request, principal: Principal | null): SubmitOptions {
  const key = request.headers.get('idempotency-key');
  if (key === null) return {};
  // Keys are the client's own: two tokens may well use the same one.
  return { idempotencyKey: `${principal?.tokenId} ${key.slice(0, 200)}` };
}
