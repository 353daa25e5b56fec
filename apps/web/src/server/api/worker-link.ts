import {
  attachmentSchema,
  attachRequestSchema,
  heartbeatSchema,
  MAXIMA,
  nextAnswerSchema,
  ordersSchema,
  outcomeAnswerSchema,
  rooflineRequestSchema,
  runOutcomeSchema,
  tuningDecisionSchema,
} from '@tilemark/core';
import { DirectLink } from '@tilemark/core/server';
import type { z } from 'zod';
import { log } from '../log';
import { COSTS } from '../session/reads';
import { type Call, noun, type Operation, ok, operation, signedIn } from './operation';

/**
 * The http form of the worker's link (packages/core/src/link): the site drives the direct form for
 * workers that know its address and a token, and nothing else.
 */
export const workerLink = noun();

/** A worker's clock that is off by more is told to both sides. */
const CLOCK_OFF_MS = 60_000;

const NOT_ITS_OWN =
  'The worker speaks another protocol (`field` is `protocol`), is no longer attached (`worker`), the run is not its own (`run`), or it holds as many runs as it may (`runs`); `detail` says what to do.';

operation(
  workerLink,
  {
    id: 'enrollWorker',
    method: 'post',
    path: '/workers',
    summary:
      'Attaches a worker of its device; attaching again takes over its row. Takes a worker or admin token. 403 for a worker that was revoked after its token was made.',
    access: 'work',
    isLink: true,
    limit: 'enroll',
    body: attachRequestSchema,
    refusals: { 409: 'The worker speaks another protocol; `detail` says what to update.' },
    answer: ok(attachmentSchema),
  },
  async ({ body: { at, ...worker }, principal, services }) => {
    const clockAheadMs = Date.parse(at) - Date.now();
    const by = signedIn(principal);
    const attached = await new DirectLink(services).attach(worker, { tokenId: by.tokenId });
    const { deviceKey, workerId } = attached;
    log.info({ by, workerId, deviceKey, host: worker.host }, 'a worker attached');
    if (Math.abs(clockAheadMs) > CLOCK_OFF_MS) {
      log.warn({ workerId, host: worker.host, clockAheadMs }, 'its clock is off');
    }
    return { ...attached, clockAheadMs };
  },
);

/** The verbs of a worker on its own behalf. */
type OfWorker = `/workers/{id}/${string}`;
function own<Path extends OfWorker, Body extends z.ZodType>(
  declared: Pick<
    Operation<Path, z.ZodType, Body>,
    'id' | 'path' | 'summary' | 'body' | 'cost' | 'maxBytes' | 'maxUnpackedBytes' | 'answer'
  >,
  answer: (link: DirectLink, call: Call<Path, unknown, z.output<Body>>) => unknown,
): void {
  operation<Path, z.ZodType, Body>(
    workerLink,
    {
      ...declared,
      method: 'post',
      access: 'work',
      isLink: true,
      refusals: { 409: NOT_ITS_OWN },
    },
    async (call) => {
      const { id } = call.params as { id: string };
      const link = await DirectLink.forWorker(call.services, id, signedIn(call.principal).tokenId);
      return answer(link, call);
    },
  );
}

const done = { status: 204 } as const;

own(
  {
    id: 'takeNextRun',
    path: '/workers/{id}/next',
    summary:
      "Waits up to 20 s for the next run of the worker's device and gives it to the worker; `run` is null when none came.",
    cost: COSTS.run,
    answer: ok(nextAnswerSchema),
  },
  async (link, { c, services: { stopping } }) => {
    const over = new AbortController();
    const end = () => over.abort();
    const { outgoing } = c.env ?? {};
    if (stopping.aborted || outgoing?.destroyed) end();
    stopping.addEventListener('abort', end);
    // A request whose signal was asked for costs more than the rest of its answer.
    if (outgoing) outgoing.once('close', end);
    else c.req.raw.signal.addEventListener('abort', end);
    try {
      return { run: await link.next(over.signal) };
    } finally {
      stopping.removeEventListener('abort', end);
      outgoing?.off('close', end);
    }
  },
);

own(
  {
    id: 'beat',
    path: '/workers/{id}/heartbeat',
    summary:
      'A heartbeat; after 20 s without one the worker counts as lost. The answer says what an admin wants of the worker and which of its runs are no longer its own or were cancelled.',
    cost: COSTS.beat,
    body: heartbeatSchema,
    answer: ok(ordersSchema),
  },
  (link, { body }) => link.heartbeat(body.state, body.runs),
);

own(
  {
    id: 'releaseRun',
    path: '/workers/{id}/runs/{run}/release',
    summary: 'Returns a run that the worker did not finish.',
    answer: done,
  },
  (link, { params }) => link.handBack(params.run),
);

own(
  {
    id: 'endRun',
    path: '/workers/{id}/runs/{run}/outcome',
    summary:
      'Ends a run of the worker, or adds one that it measured for its search (`searchId`), with an id that it draws. The body may come as gzip. Sending it again changes nothing: `recorded` is then false. 404 when the run is gone.',
    cost: COSTS.run,
    body: runOutcomeSchema,
    maxBytes: MAXIMA.bytes.outcome.sent,
    maxUnpackedBytes: MAXIMA.bytes.outcome.unpacked,
    answer: ok(outcomeAnswerSchema),
  },
  (link, { body, params }) => link.end({ ...body, runId: params.run }),
);

own(
  {
    id: 'decideSearch',
    path: '/workers/{id}/runs/{run}/decision',
    summary:
      'Ends a run of the worker that is a search (`search`), once each variant that it measured was sent as a run of its own that names it (`searchId`). The winner must be one of them.',
    body: tuningDecisionSchema,
    answer: done,
  },
  (link, { body, params }) => link.decide(params.run, body),
);

own(
  {
    id: 'recordRoofline',
    path: '/workers/{id}/rooflines',
    summary: "Records the peak rates of the worker's device under a profile.",
    body: rooflineRequestSchema,
    answer: done,
  },
  (link, { body: { profile, survey } }) => link.roofline(profile, survey),
);

own(
  {
    id: 'detachWorker',
    path: '/workers/{id}/detach',
    summary: 'Detaches a worker that ends cleanly.',
    answer: done,
  },
  (link) => link.detach(),
);
