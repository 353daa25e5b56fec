import {
  newSweepSchema,
  pageOf,
  type Result,
  type ResultKinds,
  resultSchema,
  resultTable,
  type SweepEvent,
  sweepCreatedSchema,
  sweepEventSchema,
  sweepFilterSchema,
  sweepSchema,
} from '@tilemark/core';
import { type Principal, retrySweep, submitSweep } from '@tilemark/core/server';
import type { Context } from 'hono';
import { z } from 'zod';
import { allItems } from '../lists';
import { HttpProblem } from '../problem';
import { checkOwner } from '../session/access';
import { mayStill } from '../session/principal';
import { COSTS } from '../session/reads';
import { download, fileName } from './download';
import { eventStream } from './events';
import {
  cursorQuery,
  formatQuery,
  idCursorQuery,
  noun,
  ok,
  operation,
  orNotFound,
  signedIn,
  TABLE_TYPES,
} from './operation';

/** Sweeps, from submission to results. What they answer: the schemas of core/src/api/sweep.ts and result.ts. */
export const sweeps = noun();

const LONGEST_KEY = 200;

/** The idempotency key of a request that makes a sweep, if it has one. Two tokens may well use the same. */
export function idempotencyKey(c: Context, { tokenId }: Principal): { idempotencyKey?: string } {
  const key = c.req.header('idempotency-key');
  if (key === undefined) return {};
  if (key.length > LONGEST_KEY) {
    throw new HttpProblem(400, `must have at most ${LONGEST_KEY} characters`, 'Idempotency-Key');
  }
  return { idempotencyKey: `${tokenId} ${key}` };
}

const missing = (id: string) => `There is no sweep ${id}.`;

operation(
  sweeps,
  {
    id: 'listSweeps',
    method: 'get',
    path: '/sweeps',
    summary:
      'Sweeps, newest first. Those of kernels that are not published are listed for whoever made them, and for admins.',
    access: 'read',
    caching: 'revalidate',
    query: idCursorQuery.extend(sweepFilterSchema.shape),
    answer: ok(pageOf(sweepSchema)),
  },
  ({ principal, query: { cursor, ...filter }, services: { store } }) =>
    store.sweeps.list(cursor, filter, principal),
);

operation(
  sweeps,
  {
    id: 'createSweep',
    method: 'post',
    path: '/sweeps',
    summary:
      'Expands a suite or a specification into runs and enqueues them. Repeating it with the same `Idempotency-Key` changes nothing.',
    refusals: { 409: 'Another request of the token had its `Idempotency-Key`.' },
    access: 'submit',
    limit: 'submit',
    cost: COSTS.board,
    costOfRun: 0.05,
    body: newSweepSchema,
    answer: { status: 201, schema: sweepCreatedSchema },
  },
  async ({ body, c, principal, services }) => {
    const by = signedIn(principal);
    return submitSweep(services, body, by, { ...idempotencyKey(c, by) });
  },
);

operation(
  sweeps,
  {
    id: 'getSweep',
    method: 'get',
    path: '/sweeps/{id}',
    summary: 'A sweep, its specification and its progress.',
    access: 'read',
    caching: 'revalidate',
    answer: ok(sweepSchema),
  },
  async ({ params: { id }, services: { store } }) =>
    orNotFound(await store.sweeps.get(id), missing(id)),
);

operation(
  sweeps,
  {
    id: 'getSweepResults',
    method: 'get',
    path: '/sweeps/{id}/results',
    summary:
      'The runs of a sweep. JSON comes in pages, or whole as a download with `all=1`; CSV is whole.',
    access: 'read',
    caching: 'revalidate',
    // Pages of JSON are small; the whole of a sweep is not.
    cost: (query) =>
      query.has('all') || query.get('format') === 'csv' ? COSTS.table : COSTS.answer,
    query: cursorQuery.extend({ ...formatQuery, all: z.literal('1').optional() }),
    answer: { ...ok(pageOf(resultSchema)), types: TABLE_TYPES },
  },
  async ({ params: { id }, query: { all, cursor, format }, services: { store } }) => {
    const sweep = orNotFound(await store.sweeps.get(id), missing(id));
    const results = () => allItems((from) => store.sweeps.results(id, from));
    const name = fileName(sweep.name, sweep.createdAt, sweep.id);
    if (format === 'csv') {
      const text = csvText(results(), await store.sweeps.kinds(id));
      return download(text, 'text/csv', `${name}.csv`);
    }
    if (all) return download(jsonText(results()), 'application/json', `${name}.json`);
    return store.sweeps.results(id, cursor);
  },
);

async function* csvText(
  results: AsyncIterable<Result>,
  kinds: ResultKinds,
): AsyncGenerator<string> {
  const { head, line } = resultTable(kinds);
  yield head;
  for await (const result of results) yield line(result);
}

/** A list with a single page, as the API writes lists. */
async function* jsonText(results: AsyncIterable<Result>): AsyncGenerator<string> {
  let separator = '';
  yield '{"items":[';
  for await (const result of results) {
    yield `${separator}\n${JSON.stringify(result)}`;
    separator = ',';
  }
  yield '\n],"nextCursor":null}\n';
}

const isFinal = ({ status, counts }: SweepEvent): boolean =>
  status === 'done' || (status === 'cancelled' && counts.pending === 0);

operation(
  sweeps,
  {
    id: 'watchSweep',
    method: 'get',
    path: '/sweeps/{id}/events',
    summary:
      'Server-sent events: the counts and newest results at once, then every change until the sweep ends.',
    access: 'read',
    answer: { status: 200, schema: sweepEventSchema, types: ['text/event-stream'] },
  },
  async ({ c, params: { id }, services }) => {
    const { stopping, store } = services;
    orNotFound(await store.sweeps.get(id), missing(id));
    const { headers, signal: leaving } = c.req.raw;
    const mayRead = () => mayStill('read', headers, services);
    return eventStream(c, { signals: [leaving, stopping], mayRead }, async (send, signal) => {
      const ended = new AbortController();
      await store.sweeps.watch(
        id,
        (event) => {
          send(event);
          // A worker may still have a run in hand of a sweep that was cancelled.
          if (isFinal(event)) ended.abort();
        },
        AbortSignal.any([signal, ended.signal]),
      );
    });
  },
);

operation(
  sweeps,
  {
    id: 'cancelSweep',
    method: 'post',
    path: '/sweeps/{id}/cancel',
    summary: 'Ends a sweep; runs that have not begun are dropped.',
    access: 'submit',
    refusals: { 409: 'The sweep has already ended.' },
    answer: ok(sweepSchema),
  },
  async ({ params: { id }, principal, services: { store } }) => {
    const sweep = orNotFound(await store.sweeps.get(id), missing(id));
    checkOwner(signedIn(principal), sweep);
    if (sweep.status === 'done') throw new HttpProblem(409, 'The sweep has already ended.');
    return orNotFound(await store.sweeps.cancel(id), missing(id));
  },
);

operation(
  sweeps,
  {
    id: 'retrySweep',
    method: 'post',
    path: '/sweeps/{id}/retry',
    summary: 'Enqueues the failed runs of a sweep again, but for those that did not compile.',
    access: 'submit',
    limit: 'submit',
    refusals: { 409: 'The sweep was cancelled.' },
    answer: ok(z.object({ retried: z.number().int() })),
  },
  async ({ params: { id }, principal, services }) => {
    const sweep = orNotFound(await services.store.sweeps.get(id), missing(id));
    const by = signedIn(principal);
    checkOwner(by, sweep);
    if (sweep.status === 'cancelled') {
      throw new HttpProblem(409, 'The sweep was cancelled; submit it again instead.');
    }
    return orNotFound(await retrySweep(services, id), missing(id));
  },
);
