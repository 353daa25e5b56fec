import { pageOf, roleSchema, tokenSchema } from '@tilemark/core';
import { endAccess } from '@tilemark/core/server';
import { z } from 'zod';
import { HttpProblem } from '../problem';
import { idCursorQuery, noun, ok, operation } from './operation';

export const tokens = noun();

const newTokenSchema = z.strictObject({
  name: z.string().trim().min(1).max(80),
  role: roleSchema,
  /** Whether its results decide; absent: only an admin's do. */
  trusted: z.boolean().optional(),
  /** Absent: it does not expire. */
  expiresAt: z.iso
    .datetime({
      error:
        'expiresAt must be a time such as 2030-01-31T12:00:00Z; leave it out for a token that does not expire',
    })
    .refine((time) => Date.parse(time) > Date.now(), 'This time has passed.')
    .optional(),
});

operation(
  tokens,
  {
    id: 'listTokens',
    method: 'get',
    path: '/tokens',
    summary: 'Tokens, newest first, without their secrets.',
    access: 'admin',
    query: idCursorQuery,
    answer: ok(pageOf(tokenSchema)),
  },
  ({ query, services: { store } }) => store.tokens.list(query.cursor),
);

operation(
  tokens,
  {
    id: 'createToken',
    method: 'post',
    path: '/tokens',
    summary: 'Makes a token. Its secret is in this answer and nowhere else.',
    access: 'admin',
    body: newTokenSchema,
    answer: { status: 201, schema: z.object({ id: z.string(), secret: z.string() }) },
  },
  ({ body: { expiresAt, ...token }, services: { store } }) =>
    store.tokens.create({ ...token, expiresAt: expiresAt ? new Date(expiresAt) : null }),
);

operation(
  tokens,
  {
    id: 'trustToken',
    method: 'post',
    path: '/tokens/{id}/trust',
    summary:
      'Sets whether a token is trusted: whether its results, past and to come, decide headlines, `/best` and roofs.',
    access: 'admin',
    body: z.strictObject({ trusted: z.boolean() }),
    answer: { status: 204 },
  },
  async ({ body: { trusted }, params: { id }, services: { store } }) => {
    if (!(await store.tokens.trust(id, trusted))) {
      throw new HttpProblem(404, `There is no token ${id}.`);
    }
  },
);

operation(
  tokens,
  {
    id: 'revokeToken',
    method: 'delete',
    path: '/tokens/{id}',
    summary: 'Revokes a token, every session it opened and every worker that attached with it.',
    access: 'admin',
    refusals: { 409: 'It is the only admin token that works.' },
    answer: { status: 204 },
  },
  async ({ params: { id }, services }) => {
    if ((await services.store.tokens.lastAdmin()) === id) {
      throw new HttpProblem(409, 'This is the only admin token: create another one first.');
    }
    if (!(await services.store.tokens.revoke(id))) {
      throw new HttpProblem(404, `There is no token ${id}.`);
    }
    await endAccess(services);
  },
);
