import { newTuningSchema, tuningCreatedSchema } from '@tilemark/core';
import { submitTuning } from '@tilemark/core/server';
import { COSTS, readerOf } from '../session/reads';
import { noun, operation, signedIn } from './operation';
import { idempotencyKey } from './sweeps';

/** To read a long contributed kernel once more takes this much of the process, ms. */
const LOOK_MS = 10;

/** Searches for the fastest variants. Each is a sweep: `getSweep` shows how far it is. */
export const tunings = noun();

operation(
  tunings,
  {
    id: 'createTuning',
    method: 'post',
    path: '/tunings',
    summary:
      'Searches for the fastest variant of a problem on a device, or of every shape of a family (`suite`, `dtype`), among our kernels or the variants of one (`kernel`), as a sweep of one run, whose worker adds a run for each variant that it measures until its time is used up; `tuning` of the sweep says how far it is and what it found. Repeating it with the same `Idempotency-Key` changes nothing.',
    refusals: { 409: 'Another request of the token had its `Idempotency-Key`.' },
    access: 'submit',
    limit: 'submit',
    cost: COSTS.board,
    body: newTuningSchema,
    answer: { status: 201, schema: tuningCreatedSchema },
  },
  async ({ body, c, principal, services }) => {
    const by = signedIn(principal);
    let looks = 0;
    const onLook = () => void looks++;
    try {
      const made = await submitTuning(services, body, by, { ...idempotencyKey(c, by), onLook });
      return { ...made, page: `/sweeps/${made.id}` };
    } finally {
      const { reads, settings } = services;
      // It is done: who has no more is told at the next request.
      const taken = reads.take(readerOf(c, principal, settings), LOOK_MS * looks);
      await taken.catch(() => undefined);
    }
  },
);
