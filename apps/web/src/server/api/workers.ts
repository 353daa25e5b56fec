import { deviceQueueSchema, pageOf, type WantedState, workerSchema } from '@tilemark/core';
import { revokeWorker } from '@tilemark/core/server';
import { HttpProblem } from '../problem';
import { shownTo } from '../session/access';
import { noun, ok, onePage, operation, orNotFound } from './operation';

/** Workers as people see and steer them, and their queues; what workers ask is in worker-link.ts. */
export const workers = noun();

operation(
  workers,
  {
    id: 'listWorkers',
    method: 'get',
    path: '/workers',
    summary: 'Attached workers.',
    access: 'read',
    caching: 'revalidate',
    answer: ok(pageOf(workerSchema)),
  },
  async ({ principal, services: { store } }) =>
    onePage(shownTo(principal, await store.workers.list())),
);

operation(
  workers,
  {
    id: 'revokeWorker',
    method: 'delete',
    path: '/workers/{id}',
    summary:
      'Revokes a worker: it stops within seconds, its run goes back to the queue, and only a token made later lets it in again.',
    access: 'admin',
    refusals: { 409: "The worker runs with the grid's own account." },
    answer: { status: 204 },
  },
  async ({ params: { id }, services }) => {
    const done = orNotFound(await revokeWorker(services, id), `No worker ${id} is attached.`);
    if (done === 'own account') {
      throw new HttpProblem(
        409,
        "This worker uses the database and the queue with the grid's own account: stop it where it runs.",
      );
    }
  },
);

const WANTED = [
  [
    'drainWorker',
    'drain',
    'drained',
    'Lets a worker finish its current run, then gives it no more.',
  ],
  ['pauseWorker', 'pause', 'paused', 'Pauses a worker; its current run goes back to the queue.'],
  ['resumeWorker', 'resume', 'working', 'Lets a drained or paused worker take runs again.'],
] as const satisfies [string, string, WantedState, string][];
for (const [id, verb, wanted, summary] of WANTED) {
  operation(
    workers,
    {
      id,
      method: 'post',
      path: `/workers/{id}/${verb}` as '/workers/{id}/drain',
      summary,
      access: 'admin',
      answer: ok(workerSchema),
    },
    async ({ params, services: { store } }) =>
      orNotFound(
        await store.workers.want(params.id, wanted),
        `There is no attached worker ${params.id}.`,
      ),
  );
}

operation(
  workers,
  {
    id: 'listQueues',
    method: 'get',
    path: '/queues',
    summary: 'What waits for each device, who serves it, and when it will be done.',
    access: 'read',
    caching: 'revalidate',
    answer: ok(pageOf(deviceQueueSchema)),
  },
  async ({ services: { store } }) => onePage(await store.workers.queues()),
);
