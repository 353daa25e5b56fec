import { operations } from '@/server/operations';
import { HttpProblem } from '@/server/problem';
import { found, serve } from '@/server/serve';

export const DELETE = serve(
  operations.revokeWorker,
  async ({ params: { id = '' }, note, services: { access, store } }) => {
    const done = found(await store.workers.revoke(id, note), `No worker ${id} is attached.`);
    if (done === 'not enrolled') {
      throw new HttpProblem(
        409,
        "This worker runs on the grid's own machine, with the grid's own account: stop it there.",
      );
    }
    await access.reconcile();
  },
);
