import {
  newSweepSchema,
  pageOf,
  runResultSchema,
  sweepCreatedSchema,
  sweepEventSchema,
  sweepSchema,
} from '@tilemark/core';
import { z } from 'zod';
import { cursorQuery, formatQuery, ok, operation, TABLE_TYPES } from './operation';

/** Sweeps, from their making to their results. */
export const sweepOperations = {
  listSweeps: operation({
    method: 'GET',
    path: '/sweeps',
    summary: 'Sweeps, newest first.',
    access: 'read',
    caching: 'revalidate',
    query: cursorQuery,
    answer: ok(pageOf(sweepSchema)),
  }),
  createSweep: operation({
    method: 'POST',
    path: '/sweeps',
    summary: 'Expands a suite or a specification into runs and enqueues them.',
    access: 'submit',
    caching: 'never',
    limit: 'submit',
    audit: 'createSweep',
    body: newSweepSchema,
    answer: { status: 201, schema: sweepCreatedSchema },
  }),
  getSweep: operation({
    method: 'GET',
    path: '/sweeps/{id}',
    summary: 'A sweep, its specification and how far it is.',
    access: 'read',
    caching: 'revalidate',
    answer: ok(sweepSchema),
  }),
  getSweepResults: operation({
    method: 'GET',
    path: '/sweeps/{id}/results',
    summary:
      'The runs of a sweep. JSON comes in pages, or whole as a download with `all=1`; CSV is whole.',
    access: 'read',
    caching: 'revalidate',
    query: cursorQuery.extend({ ...formatQuery, all: z.literal('1').optional() }),
    answer: { ...ok(pageOf(runResultSchema)), types: TABLE_TYPES },
  }),
  watchSweep: operation({
    method: 'GET',
    path: '/sweeps/{id}/events',
    summary: 'Server-sent events: the counts and the results recorded since the last event.',
    access: 'read',
    caching: 'never',
    answer: { status: 200, schema: sweepEventSchema, types: ['text/event-stream'] },
  }),
  cancelSweep: operation({
    method: 'POST',
    path: '/sweeps/{id}/cancel',
    refusals: { 409: 'The sweep has ended already.' },
    summary: 'Ends a sweep; runs that have not begun are dropped.',
    access: 'submit',
    caching: 'never',
    audit: 'cancelSweep',
    answer: ok(sweepSchema),
  }),
  retrySweep: operation({
    method: 'POST',
    path: '/sweeps/{id}/retry',
    refusals: { 409: 'The sweep was cancelled.' },
    summary: 'Enqueues the failed runs of a sweep again.',
    access: 'submit',
    caching: 'never',
    limit: 'submit',
    audit: 'retrySweep',
    answer: ok(z.object({ retried: z.number().int() })),
  }),
} as const;
