import {
  dtypeSchema,
  kernelDetailSchema,
  kernelSchema,
  pageOf,
  publishedSchema,
  suiteSchema,
} from '@tilemark/core';
import { z } from 'zod';
import { ok, operation } from './operation';

/** What there is to measure, and what reports have published of it. */
export const catalogueOperations = {
  listKernels: operation({
    method: 'GET',
    path: '/kernels',
    summary: 'The kernel registry: ideas, dtypes and tunables.',
    access: 'read',
    caching: 'release',
    answer: ok(pageOf(kernelSchema)),
  }),
  getKernel: operation({
    method: 'GET',
    path: '/kernels/{id}',
    summary:
      'A kernel specialised for a dtype and tunables, with its WGSL. Tunables are query parameters: `?TILE=16&dtype=f32`. The id holds a slash.',
    access: 'read',
    caching: 'release',
    query: z.looseObject({ dtype: dtypeSchema.optional() }),
    answer: ok(kernelDetailSchema),
  }),
  listSuites: operation({
    method: 'GET',
    path: '/suites',
    summary: 'Named, versioned sweeps and the parameters they take.',
    access: 'read',
    caching: 'release',
    answer: ok(pageOf(suiteSchema)),
  }),
  listPublished: operation({
    method: 'GET',
    path: '/published',
    summary:
      'Figures of the reports that suites reproduce, with their sources. They are not ours and never ranked.',
    access: 'read',
    caching: 'release',
    query: z.object({ suite: z.string().max(80).optional() }),
    answer: ok(pageOf(publishedSchema)),
  }),
} as const;
