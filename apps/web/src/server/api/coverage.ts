import { coverageSchema, refreshedSchema, refreshSchema } from '@tilemark/core';
import { refreshStale } from '@tilemark/core/server';
import { recentCoverage } from '../services';
import { noun, ok, operation, signedIn } from './operation';

/** What the devices have of the standard suites. */
export const coverage = noun();

operation(
  coverage,
  {
    id: 'getCoverage',
    method: 'get',
    path: '/coverage',
    summary:
      'Devices against standard suites: runs that are done, running, stale, or never measured.',
    access: 'read',
    caching: 'revalidate',
    answer: ok(coverageSchema),
  },
  ({ services }) => recentCoverage(services),
);

operation(
  coverage,
  {
    id: 'refreshCoverage',
    method: 'post',
    path: '/coverage/refresh',
    summary:
      'Queues again the runs whose kernel source or protocol has changed since, of one device or of all that a worker serves now.',
    access: 'admin',
    audit: 'refreshCoverage',
    body: refreshSchema,
    answer: { status: 201, schema: refreshedSchema },
  },
  ({ body, note, principal, services }) =>
    refreshStale(services, body, signedIn(principal), note).finally(() =>
      services.recent.forget('coverage'),
    ),
);
