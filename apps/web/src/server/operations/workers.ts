import {
  deviceQueueSchema,
  enrolmentRequestSchema,
  enrolmentSchema,
  pageOf,
  workerSchema,
} from '@tilemark/core';
import { ok, operation } from './operation';

/** Workers, their accounts and their queues. */
export const workerOperations = {
  listWorkers: operation({
    method: 'GET',
    path: '/workers',
    summary: 'Attached workers.',
    access: 'read',
    caching: 'revalidate',
    answer: ok(pageOf(workerSchema)),
  }),
  enrollWorker: operation({
    method: 'POST',
    path: '/workers/enroll',
    refusals: {
      409: "The worker is of another version than the grid (`field` is `version`), or the grid's own users in Postgres and Redis may not make accounts; `detail` says what to run.",
    },
    summary:
      'Attaches a worker and tells what it connects to, with accounts of its own; enrolling again replaces their passwords. Takes a worker or an admin token. 409 for a worker of another version, 403 for one that was revoked after its token was made.',
    access: 'enroll',
    caching: 'never',
    limit: 'enroll',
    audit: 'enrollWorker',
    body: enrolmentRequestSchema,
    answer: ok(enrolmentSchema),
  }),
  revokeWorker: operation({
    method: 'DELETE',
    path: '/workers/{id}',
    summary:
      'Revokes an enrolled worker: its accounts end, its run goes back to the queue, and only a token made later lets it in again.',
    access: 'admin',
    caching: 'never',
    audit: 'revokeWorker',
    answer: { status: 204 },
  }),
  drainWorker: operation({
    method: 'POST',
    path: '/workers/{id}/drain',
    summary: 'Lets a worker finish the run in hand and then pauses it.',
    access: 'admin',
    caching: 'never',
    audit: 'drainWorker',
    answer: ok(workerSchema),
  }),
  pauseWorker: operation({
    method: 'POST',
    path: '/workers/{id}/pause',
    summary: 'Pauses a worker; the run in hand is given back.',
    access: 'admin',
    caching: 'never',
    audit: 'pauseWorker',
    answer: ok(workerSchema),
  }),
  resumeWorker: operation({
    method: 'POST',
    path: '/workers/{id}/resume',
    summary: 'Lets a drained or paused worker take runs again.',
    access: 'admin',
    caching: 'never',
    audit: 'resumeWorker',
    answer: ok(workerSchema),
  }),
  listQueues: operation({
    method: 'GET',
    path: '/queues',
    summary: 'What waits for each device, who serves it, and when it will be done.',
    access: 'read',
    caching: 'revalidate',
    answer: ok(pageOf(deviceQueueSchema)),
  }),
} as const;
