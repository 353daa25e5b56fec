import {
  newTuningSchema,
  tunedShapeSchema,
  tunedShapesCsv,
  tuningCreatedSchema,
} from '@tilemark/core';
import { submitTuning } from '@tilemark/core/server';
import { z } from 'zod';
import { csvFile } from './download';
import {
  formatQuery,
  found,
  noun,
  ok,
  onePage,
  operation,
  signedIn,
  TABLE_TYPES,
} from './operation';
import { checkGpuSeconds, idempotencyKey } from './sweeps';

/** Searches for the fastest variants. Each is a sweep that grows: `getSweep` shows how far it is. */
export const tunings = noun();

operation(
  tunings,
  {
    id: 'createTuning',
    method: 'post',
    path: '/tunings',
    summary:
      'Searches for the fastest variant of a problem on a device, or of every shape of a family (`suite`, `dtype`), among our kernels or the variants of one (`kernel`), as a sweep that grows until its time is used up; `tuning` of the sweep says how far it is and what it found. Repeating it with the same `Idempotency-Key` changes nothing.',
    refusals: { 409: 'Another request of the token had its `Idempotency-Key`.' },
    access: 'submit',
    limit: 'submit',
    audit: 'createTuning',
    body: newTuningSchema,
    answer: { status: 201, schema: tuningCreatedSchema },
  },
  async ({ body, c, note, principal, services }) => {
    const by = signedIn(principal);
    await checkGpuSeconds(services, body.kernel ? [body.kernel] : [], by.tokenId);
    const made = await submitTuning(services, body, by, { ...idempotencyKey(c, by), note });
    return { ...made, page: `/sweeps/${made.id}` };
  },
);

operation(
  tunings,
  {
    id: 'listTunedShapes',
    method: 'get',
    path: '/tunings/{id}/shapes',
    summary:
      'The shapes of a family that is tuned: which are done, the fastest variant of each so far, and which do not fit the device and why.',
    access: 'read',
    caching: 'revalidate',
    query: z.object(formatQuery),
    answer: {
      ...ok(z.object({ items: z.array(tunedShapeSchema), nextCursor: z.null() })),
      types: TABLE_TYPES,
    },
  },
  async ({ params: { id }, query: { format }, services: { store } }) => {
    const shapes = found(await store.tunings.shapes(id), `Sweep ${id} tunes no family of shapes.`);
    if (format === 'csv') return csvFile(tunedShapesCsv(shapes), `tilemark-shapes-${id}.csv`);
    return onePage(shapes);
  },
);
