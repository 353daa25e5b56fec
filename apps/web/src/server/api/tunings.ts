import { newTuningSchema, tuningCreatedSchema } from '@tilemark/core';
import { submitTuning } from '@tilemark/core/server';
import { noun, operation, signedIn } from './operation';
import { idempotencyKey } from './sweeps';

/** Searches for the fastest variant. Each is a sweep that grows: `getSweep` shows how far it is. */
export const tunings = noun();

operation(
  tunings,
  {
    id: 'createTuning',
    method: 'post',
    path: '/tunings',
    summary:
      'Searches for the fastest variant of a problem on a device, as a sweep that grows until its time is used up; `tuning` of the sweep says how far it is and what it found. Repeating it with the same `Idempotency-Key` changes nothing.',
    access: 'submit',
    limit: 'submit',
    audit: 'createTuning',
    body: newTuningSchema,
    answer: { status: 201, schema: tuningCreatedSchema },
  },
  async ({ body, c, note, principal, services }) => {
    const by = signedIn(principal);
    const made = await submitTuning(services, body, by, { ...idempotencyKey(c, by), note });
    return { ...made, page: `/sweeps/${made.id}` };
  },
);
