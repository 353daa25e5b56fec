import {
  benchFileSchema,
  MAXIMA,
  misplaced,
  resultDetailSchema,
  sweepImportedSchema,
} from '@tilemark/core';
import { importResults } from '@tilemark/core/server';
import { found, noun, ok, operation, signedIn } from './operation';

/** Single results, and results measured without a grid. */
export const results = noun();

operation(
  results,
  {
    id: 'getResult',
    method: 'get',
    path: '/results/{id}',
    summary: 'A result with every sample, its environment and the WGSL that ran.',
    access: 'read',
    caching: 'revalidate',
    answer: ok(resultDetailSchema),
  },
  async ({ params: { id }, services: { store } }) =>
    found(await store.results.get(id), `There is no result ${id}.`),
);

operation(
  results,
  {
    id: 'confirmResult',
    method: 'post',
    path: '/results/{id}/confirm',
    summary:
      'Confirms a measured result in the name of the requesting admin; one already confirmed stays as it is.',
    access: 'admin',
    audit: 'confirmResult',
    answer: ok(resultDetailSchema),
  },
  async ({ note, params: { id }, principal, services: { store } }) =>
    found(
      await store.results.confirm(id, signedIn(principal).name, note),
      `There is no result ${id}.`,
    ),
);

operation(
  results,
  {
    id: 'importResults',
    method: 'post',
    path: '/results/import',
    summary:
      'Imports the results of `tilemark bench --json` as a finished sweep; results that a sweep has already are answered with it. Takes the token of an invite, too. At most 64 MB and 20,000 results.',
    access: 'publish',
    limit: 'submit',
    audit: 'importResults',
    body: benchFileSchema,
    misplaced: (body) => misplaced(body, 'results'),
    longList: 'results',
    maxBodyBytes: MAXIMA.bytes.import,
    answer: { status: 201, schema: sweepImportedSchema },
  },
  ({ body, note, principal, services }) => importResults(services, body, signedIn(principal), note),
);
