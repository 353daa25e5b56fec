import { operations } from '@/server/operations';
import { HttpProblem } from '@/server/problem';
import { serve } from '@/server/serve';

export const DELETE = serve(
  operations.revokeToken,
  async ({ params: { id = '' }, services: { access, store } }) => {
    if (!(await store.tokens.revoke(id))) throw new HttpProblem(404, `There is no token ${id}.`);
    await access.reconcile();
  },
);
