import {
  classCsv,
  classSchema,
  inviteSchema,
  MAXIMA,
  pageOf,
  requestedProblemSchema,
  sweepImportedSchema,
} from '@tilemark/core';
import { endAccess, handIn, handInSchema } from '@tilemark/core/server';
import { z } from 'zod';
import { HttpProblem } from '../problem';
import { makerOf } from '../session/access';
import { COSTS } from '../session/reads';
import { csvFile, fileName } from './download';
import {
  formatQuery,
  noun,
  ok,
  onePage,
  operation,
  orNotFound,
  signedIn,
  TABLE_TYPES,
} from './operation';

/** Links that let browsers and machines in as workers: classes, as pages call them. */
export const invites = noun();

const HOUR_MS = 3_600_000;
/** It stands in an address, where `..` would be another. */
const studentName = z
  .string()
  .trim()
  .max(60)
  .refine((name) => /[\p{L}\p{N}]/u.test(name), 'must contain a letter or a digit');
const missing = (id: string) => `There is no invite ${id} of yours.`;

operation(
  invites,
  {
    id: 'listInvites',
    method: 'get',
    path: '/invites',
    summary: 'Your invites, newest first; for admins, everybody’s.',
    access: 'submit',
    answer: ok(pageOf(inviteSchema)),
  },
  async ({ principal, services: { store } }) =>
    onePage(await store.invites.list(makerOf(signedIn(principal)))),
);

operation(
  invites,
  {
    id: 'createInvite',
    method: 'post',
    path: '/invites',
    summary:
      'Makes an invite: a secret for the fragment of `/join#…` that makes as many worker tokens as it has seats. It is in this answer and nowhere else.',
    access: 'submit',
    limit: 'submit',
    body: z.strictObject({
      name: z.string().trim().min(1).max(80),
      seats: z.number().int().min(1).max(500),
      hours: z.number().int().min(1).max(720),
      /** What kernels are handed in for. */
      problems: z.array(requestedProblemSchema).max(12).default([]),
      /** Whether the tokens it makes are trusted; only a trusted token may say so. */
      trusted: z.boolean().optional(),
    }),
    refusals: { 403: '`trusted` with a token that is not.' },
    answer: { status: 201, schema: z.object({ id: z.string(), secret: z.string() }) },
  },
  async ({ body: { hours, trusted, ...fields }, principal, services: { store } }) => {
    const by = signedIn(principal);
    if (trusted && !(await store.tokens.isTrusted(by.tokenId))) {
      throw new HttpProblem(
        403,
        'Your token is not trusted, so your invites are not either: ask an admin to trust it.',
      );
    }
    const expiresAt = new Date(Date.now() + hours * HOUR_MS);
    return store.invites.create({ ...fields, expiresAt, trusted, by });
  },
);

operation(
  invites,
  {
    id: 'redeemInvite',
    method: 'post',
    path: '/invites/redeem',
    summary:
      'Redeems an invite for a worker token that expires with it and is called as who joins, whose `name` nobody else of the invite has.',
    access: 'open',
    limit: 'logIn',
    body: z.strictObject({
      invite: z.string().min(1).max(300),
      name: studentName.optional(),
    }),
    refusals: { 403: 'The invite makes no more tokens; `detail` says why.' },
    answer: ok(
      inviteSchema
        .pick({ name: true, problems: true, expiresAt: true })
        .extend({ secret: z.string() }),
    ),
  },
  ({ body: { invite, name }, services: { store } }) => store.invites.redeem(invite, name),
);

operation(
  invites,
  {
    id: 'handIn',
    method: 'post',
    path: '/invites/hand-in',
    summary:
      'Hands in a kernel for the class that the token joined, as NDJSON: a line with `kernel` and all else of `tilemark bench --json` but `results`, then a line per result, those of the battery and, under policy `screen`, of the kernel and naive on a problem of the class.',
    access: 'work',
    limit: 'submit',
    cost: COSTS.page,
    costOfRun: 1,
    body: handInSchema,
    lines: 'results',
    maxBytes: MAXIMA.bytes.import,
    answer: { status: 201, schema: sweepImportedSchema },
  },
  ({ body, principal, services }) => handIn(services, body, signedIn(principal)),
);

operation(
  invites,
  {
    id: 'getClass',
    method: 'get',
    path: '/invites/{id}',
    summary:
      'One of your invites as a class: who joined, and the kernel that each handed in last for each problem, over their own naive.',
    access: 'submit',
    cost: COSTS.page,
    query: z.object(formatQuery),
    answer: { ...ok(classSchema), types: TABLE_TYPES },
  },
  async ({ params: { id }, principal, query: { format }, services: { store } }) => {
    const invite = await store.invites.find(id, makerOf(signedIn(principal)));
    const found = await store.invites.class(orNotFound(invite, missing(id)));
    const file = `${fileName(found.name, found.createdAt, id)}.csv`;
    return format === 'csv' ? csvFile(classCsv(found), file) : found;
  },
);

operation(
  invites,
  {
    id: 'removeStudent',
    method: 'delete',
    path: '/invites/{id}/students/{name}',
    summary:
      'Removes who joined one of your invites by a name: the token ends, and its seat is free.',
    access: 'submit',
    answer: { status: 204 },
  },
  async ({ params: { id, name }, principal, services }) => {
    const by = makerOf(signedIn(principal));
    if (!(await services.store.invites.removeStudent(id, name, by))) {
      throw new HttpProblem(404, `Nobody called ${name} is in an invite ${id} of yours.`);
    }
    await endAccess(services);
  },
);

operation(
  invites,
  {
    id: 'revokeInvite',
    method: 'delete',
    path: '/invites/{id}',
    summary:
      'Revokes one of your invites and every worker that joined with it; admins may revoke any.',
    access: 'submit',
    answer: { status: 204 },
  },
  async ({ params: { id }, principal, services }) => {
    if (!(await services.store.invites.revoke(id, makerOf(signedIn(principal))))) {
      throw new HttpProblem(404, missing(id));
    }
    await endAccess(services);
  },
);
