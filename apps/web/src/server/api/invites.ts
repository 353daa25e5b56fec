import { inviteSchema, kindsOf, pageOf, resultTable } from '@tilemark/core';
import { endAccess } from '@tilemark/core/server';
import { z } from 'zod';
import { firstItems } from '../lists';
import { HttpProblem } from '../problem';
import { csvFile, fileName } from './download';
import { noun, ok, onePage, operation, orNotFound, signedIn } from './operation';

/** Links that let browsers and machines in as workers. */
export const invites = noun();

const HOUR_MS = 3_600_000;

/** Whose invites somebody sees and ends: an admin everybody's. */
const makerOf = (principal: Parameters<typeof signedIn>[0]) => {
  const { role, tokenId } = signedIn(principal);
  return role === 'admin' ? undefined : tokenId;
};

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
    onePage(await store.invites.list(makerOf(principal))),
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
      /** Whether the tokens it makes are trusted; only a trusted token may say so. */
      trusted: z.boolean().optional(),
    }),
    refusals: { 403: '`trusted` with a token that is not.' },
    answer: { status: 201, schema: z.object({ id: z.string(), secret: z.string() }) },
  },
  async ({ body: { name, seats, hours, trusted }, principal, services: { store } }) => {
    const by = signedIn(principal);
    if (trusted && !(await store.tokens.isTrusted(by.tokenId))) {
      throw new HttpProblem(
        403,
        'Your token is not trusted, so your invites are not either: ask an admin to trust it.',
      );
    }
    const expiresAt = new Date(Date.now() + hours * HOUR_MS);
    return store.invites.create({ name, seats, expiresAt, trusted, by });
  },
);

operation(
  invites,
  {
    id: 'redeemInvite',
    method: 'post',
    path: '/invites/redeem',
    summary: 'Redeems an invite for a worker token that expires with it.',
    access: 'open',
    limit: 'logIn',
    body: z.strictObject({ invite: z.string().min(1).max(300) }),
    refusals: { 403: 'The invite makes no more tokens; `detail` says why.' },
    answer: ok(z.object({ secret: z.string(), name: z.string(), expiresAt: z.string() })),
  },
  ({ body: { invite }, services: { store } }) => store.invites.redeem(invite),
);

operation(
  invites,
  {
    id: 'getInviteResults',
    method: 'get',
    path: '/invites/{id}/results',
    summary:
      'What the workers of one of your invites have measured, as CSV: `worker` is the name that each joined under.',
    access: 'submit',
    answer: { ...ok(z.string()), types: ['text/csv'] },
  },
  async ({ params: { id }, principal, services: { store } }) => {
    const invite = await store.invites.find(id, makerOf(principal));
    const { createdAt, name } = orNotFound(invite, `There is no invite ${id} of yours.`);
    const results = await firstItems((cursor) => store.invites.results(id, cursor));
    const { head, line } = resultTable(kindsOf(results));
    const file = `${fileName(name, createdAt.toISOString(), id)}.csv`;
    return csvFile(head + results.map(line).join(''), file);
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
    if (!(await services.store.invites.revoke(id, makerOf(principal)))) {
      throw new HttpProblem(404, `There is no invite ${id} of yours.`);
    }
    await endAccess(services);
  },
);
