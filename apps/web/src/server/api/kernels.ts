import {
  allPublished,
  dtypeSchema,
  findSuite,
  kernelDetailSchema,
  kernelSchema,
  pageOf,
  publishedSchema,
  SUITES,
  suiteSchema,
} from '@tilemark/core';
import { KERNELS } from '@tilemark/kernels';
import { z } from 'zod';
import { kernelDetail } from '../catalogue';
import { HttpProblem } from '../problem';
import { noun, ok, onePage, operation } from './operation';

/** What can be measured, and what reports have published of it. */
export const kernels = noun();

operation(
  kernels,
  {
    id: 'listKernels',
    method: 'get',
    path: '/kernels',
    summary: 'The kernel registry: ideas, dtypes and tunables.',
    access: 'read',
    caching: 'release',
    answer: ok(pageOf(kernelSchema)),
  },
  () => onePage(KERNELS.map((kernel) => kernelSchema.parse(kernel))),
);

operation(
  kernels,
  {
    id: 'getKernel',
    method: 'get',
    path: '/kernels/{id}',
    pattern: '/kernels/:id{.+}',
    summary:
      'A kernel specialised for a dtype and tunables, with its WGSL. Tunables are query parameters: `?TILE=16&dtype=f32`. The id contains a slash.',
    access: 'read',
    caching: 'release',
    query: z.looseObject({ dtype: dtypeSchema.optional() }),
    answer: ok(kernelDetailSchema),
  },
  ({ params: { id }, query }) => {
    if (!KERNELS.some((kernel) => kernel.id === id)) {
      throw new HttpProblem(404, `There is no kernel ${id}.`);
    }
    return kernelDetail(id, query);
  },
);

operation(
  kernels,
  {
    id: 'listSuites',
    method: 'get',
    path: '/suites',
    summary: 'Named, versioned sweeps and the parameters they take.',
    access: 'read',
    caching: 'release',
    answer: ok(pageOf(suiteSchema)),
  },
  () => onePage(SUITES.map((suite) => suiteSchema.parse(suite))),
);

operation(
  kernels,
  {
    id: 'listPublished',
    method: 'get',
    path: '/published',
    summary:
      'Figures of the reports that suites reproduce, with their sources. They are not ours and never ranked.',
    access: 'read',
    caching: 'release',
    query: z.object({ suite: z.string().max(80).optional() }),
    answer: ok(pageOf(publishedSchema)),
  },
  ({ query }) => {
    const suite = query.suite === undefined ? null : findSuite(query.suite);
    return onePage(allPublished().filter((table) => suite === null || table.suite === suite.id));
  },
);
