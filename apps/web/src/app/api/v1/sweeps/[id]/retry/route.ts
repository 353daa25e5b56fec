import { checkOwner } from '@/server/access';
import { operations } from '@/server/operations';
import { HttpProblem } from '@/server/problem';
import { found, serve, signedIn } from '@/server/serve';

export const POST = serve(
  operations.retrySweep,
  async ({ params: { id = '' }, note, principal, services }) => {
    const sweep = found(await services.store.sweeps.get(id), `There is no sweep ${id}.`);
    checkOwner(signedIn(principal), sweep);
    if (sweep.status === 'cancelled') {
      throw new HttpProblem(409, 'The sweep was cancelled: submit it again instead.');
    }
    return found(await services.sweeps.retry(id, note), `There is no sweep ${id}.`);
  },
);
