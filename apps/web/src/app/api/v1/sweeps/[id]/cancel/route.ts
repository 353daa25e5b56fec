import { checkOwner } from '@/server/access';
import { operations } from '@/server/operations';
import { HttpProblem } from '@/server/problem';
import { found, serve, signedIn } from '@/server/serve';

export const POST = serve(
  operations.cancelSweep,
  async ({ params: { id = '' }, note, principal, services: { store } }) => {
    const sweep = found(await store.sweeps.get(id), `There is no sweep ${id}.`);
    checkOwner(signedIn(principal), sweep);
    if (sweep.status === 'done') throw new HttpProblem(409, 'The sweep has ended already.');
    return found(await store.sweeps.cancel(id, note), `There is no sweep ${id}.`);
  },
);
