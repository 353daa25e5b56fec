import { pageOf, roleSchema, tokenSchema } from '@tilemark/core';
import { endAccess } from '@tilemark/core/server';
import { z } from 'zod';
import { HttpProblem } from '../problem';
import { idCursorQuery, noun, ok, operation } from './operation';

export const tokens = noun();

const newTokenSchema = z.strictObject({
  name: z.string().trim().min(1).max(80),
  role: roleSchema,
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
    audit: 'createToken',
    body: newTokenSchema,
    answer: { status: 201, schema: z.object({ id: z.string(), secret: z.string() }) },
  },
  ({ body: { name, role, expiresAt }, note, services: { store } }) =>
    store.tokens.create({ name, role, expiresAt: expiresAt ? new Date(expiresAt) : null, note }),
);

operation(
  tokens,
  {
    id: 'revokeToken',
    method: 'delete',
    path: '/tokens/{id}',
    summary: 'Revokes a token, every session it opened and every worker that attached with it.',
    access: 'admin',
    audit: 'revokeToken',
    refusals: { 409: 'It is the only admin token that works.' },
    answer: { status: 204 },
  },
  async ({ params: { id }, note, services }) => {
    if ((await services.store.tokens.lastAdmin()) === id) {
      throw new HttpProblem(409, 'This is the only admin token: create another one first.');
    }
    if (!(await services.store.tokens.revoke(id, note))) {
      throw new HttpProblem(404, `There is no token ${id}.`);
    }
    await endAccess(services);
  },
);
