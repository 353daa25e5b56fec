import { coverageSchema, refreshedSchema, refreshSchema } from '@tilemark/core';
import { ok, operation } from './operation';

/** What the devices have of the standing suites. */
export const coverageOperations = {
  getCoverage: operation({
    method: 'GET',
    path: '/coverage',
    summary: 'Devices against standing suites: runs that are done, running, stale, or never made.',
    access: 'read',
    caching: 'revalidate',
    answer: ok(coverageSchema),
  }),
  refreshCoverage: operation({
    method: 'POST',
    path: '/coverage/refresh',
    summary:
      'Queues again the runs whose kernel has another source today than when they were made.',
    access: 'admin',
    caching: 'never',
    audit: 'refreshCoverage',
    body: refreshSchema,
    answer: { status: 201, schema: refreshedSchema },
  }),
} as const;
