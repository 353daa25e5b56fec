import {
  misplaced,
  referenceFileSchema,
  referenceImportedSchema,
  referenceListSchema,
  referenceQuerySchema,
} from '@tilemark/core';
import { noun, ok, operation, signedIn } from './operation';

/** Figures that this grid did not measure, shown beside its results. */
export const reference = noun();

operation(
  reference,
  {
    id: 'listReference',
    method: 'get',
    path: '/reference',
    summary:
      'Figures that this grid did not measure: what ships with Tilemark, libraries, and published reports. Never ranked.',
    access: 'read',
    caching: 'revalidate',
    query: referenceQuerySchema,
    answer: ok(referenceListSchema),
  },
  async ({ query, services: { store } }) => ({ items: await store.references.list(query) }),
);

operation(
  reference,
  {
    id: 'importReference',
    method: 'post',
    path: '/reference',
    summary:
      'Imports the figures of a `bench/side-by-side` file, of our kernels and of libraries, or of a library alone.',
    access: 'submit',
    limit: 'submit',
    audit: 'importReference',
    body: referenceFileSchema,
    misplaced: (body) => misplaced(body, 'figures'),
    answer: { status: 201, schema: referenceImportedSchema },
  },
  ({ body, note, principal, services: { store } }) =>
    store.references.import(body, signedIn(principal).name, note),
);
