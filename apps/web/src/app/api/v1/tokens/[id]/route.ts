import { operations } from '@/server/operations';
import { HttpProblem } from '@/server/problem';
import { serve } from '@/server/serve';

export const DELETE = serve(
  operations.revokeToken,
  async ({ params: { id = '' }, note, services: { access, store } }) => {
    if (!(await store.tokens.revoke(id, note)))
      throw new HttpProblem(404, `There is no token ${id}.`);
    await access.reconcile();
  },
);
