import { benchFileSchema, MAXIMA, resultDetailSchema, sweepImportedSchema } from '@tilemark/core';
import { importResults } from '@tilemark/core/server';
import { COSTS } from '../session/reads';
import { noun, ok, operation, orNotFound, signedIn } from './operation';

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
    orNotFound(await store.results.get(id), `There is no result ${id}.`),
);

operation(
  results,
  {
    id: 'confirmResult',
    method: 'post',
    path: '/results/{id}/confirm',
    summary:
      'Confirms a measured result whose token is not trusted, in the name of the requesting admin: it then decides.',
    access: 'admin',
    answer: ok(resultDetailSchema),
  },
  async ({ params: { id }, principal, services: { store } }) =>
    orNotFound(
      await store.results.confirm(id, signedIn(principal).name),
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
      'Imports the results of `tilemark bench --json` as a finished sweep, as NDJSON: a line of all but `results`, then a line per result. All are kept or none; the same file again is answered with its sweep. Takes the token of an invite, too. At most 64 MB and 20,000 results.',
    access: 'publish',
    limit: 'submit',
    cost: COSTS.board,
    costOfRun: 1,
    body: benchFileSchema,
    lines: 'results',
    maxBytes: MAXIMA.bytes.import,
    answer: { status: 201, schema: sweepImportedSchema },
  },
  ({ body, principal, services }) => importResults(services, body, signedIn(principal)),
);
