import { benchFileSchema, resultDetailSchema, sweepCreatedSchema } from '@tilemark/core';
import { ok, operation } from './operation';

/** Single results, and results measured without a grid. */
export const resultOperations = {
  getResult: operation({
    method: 'GET',
    path: '/results/{id}',
    summary: 'A result with every sample, its environment and the WGSL that ran.',
    access: 'read',
    caching: 'revalidate',
    answer: ok(resultDetailSchema),
  }),
  importResults: operation({
    method: 'POST',
    path: '/results/import',
    summary: 'Keeps the results of `tilemark bench --json` as a finished sweep. At most 64 MB.',
    access: 'submit',
    caching: 'never',
    limit: 'submit',
    audit: 'importResults',
    body: benchFileSchema,
    maxBodyBytes: 64_000_000,
    answer: { status: 201, schema: sweepCreatedSchema },
  }),
} as const;
