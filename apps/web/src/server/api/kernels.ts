import {
  allPublished,
  contributedKernelSchema,
  dtypeSchema,
  findSuite,
  kernelDetailSchema,
  kernelSchema,
  MAXIMA,
  pageOf,
  publishedSchema,
  SUITES,
  suiteSchema,
} from '@tilemark/core';
import { kernelFileSchema } from '@tilemark/core/contributed';
import type { Principal, Store } from '@tilemark/core/server';
import { isContributed, KERNELS } from '@tilemark/kernels';
import { z } from 'zod';
import { kernelDetail } from '../catalogue';
import { HttpProblem } from '../problem';
import { checkOwner } from '../session/access';
import { COSTS } from '../session/reads';
import { noun, ok, onePage, operation, orNotFound, signedIn } from './operation';

const missing = (id: string) => `There is no kernel ${id}.`;

/** Kernels and suites that can be measured, and figures that reports have published. */
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
    id: 'listContributed',
    method: 'get',
    path: '/kernels/contributed',
    summary: 'Kernels that people have contributed: those published, and your own, newest first.',
    access: 'read',
    answer: ok(pageOf(contributedKernelSchema)),
  },
  async ({ principal, services: { store } }) =>
    onePage(await store.contributed.list(principal?.tokenId ?? null)),
);

operation(
  kernels,
  {
    id: 'contributeKernel',
    method: 'post',
    path: '/kernels',
    summary:
      'Keeps a WGSL kernel with its manifest as a version, unlisted. Sweeps name it by its id; [Bring a kernel](/docs/bring) describes the file.',
    access: 'submit',
    limit: 'submit',
    cost: COSTS.page,
    body: kernelFileSchema.omit({ author: true }),
    maxBytes: MAXIMA.bytes.kernel,
    answer: { status: 201, schema: contributedKernelSchema },
  },
  ({ body, principal, services: { store } }) => store.contributed.add(body, signedIn(principal)),
);

operation(
  kernels,
  {
    id: 'publishKernel',
    method: 'post',
    path: '/kernels/{id}/publish',
    pattern: '/kernels/:id{.+}/publish',
    summary: 'Lists a contributed kernel of yours, and puts its results on the boards.',
    access: 'submit',
    refusals: { 405: 'The id is empty.' },
    cost: COSTS.page,
    answer: ok(contributedKernelSchema),
  },
  async ({ params: { id }, principal, services: { store } }) => {
    await checkAuthor(store, id, principal);
    return orNotFound(await store.contributed.publish(id), missing(id));
  },
);

operation(
  kernels,
  {
    id: 'removeKernel',
    method: 'delete',
    path: '/kernels/{id}',
    pattern: '/kernels/:id{.+}',
    summary:
      'Takes a contributed kernel of yours, and its results, off the lists and boards; admins may remove any.',
    access: 'submit',
    answer: { status: 204 },
  },
  async ({ params: { id }, principal, services: { store } }) => {
    await checkAuthor(store, id, principal);
    await store.contributed.remove(id);
  },
);

/** Throws 404 where there is no such kernel, and 403 for that of another author. */
async function checkAuthor(store: Store, id: string, principal: Principal | null): Promise<void> {
  const { author, createdById } = orNotFound(await store.contributed.get(id), missing(id));
  checkOwner(signedIn(principal), { createdBy: author, createdById });
}

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
    // One that was contributed is read for its tunables first.
    cost: (_, path) => (/@|%40/.test(path) ? COSTS.page : COSTS.answer),
    query: z.looseObject({ dtype: dtypeSchema.optional() }),
    answer: ok(kernelDetailSchema),
  },
  async ({ params: { id }, query, services: { store } }) => {
    if (isContributed(id)) {
      orNotFound(await store.contributed.get(id), missing(id));
      await store.contributed.admit([id], 'id');
    } else if (!KERNELS.some((kernel) => kernel.id === id)) {
      throw new HttpProblem(404, missing(id));
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
