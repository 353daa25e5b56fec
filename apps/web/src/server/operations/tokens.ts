import { pageOf, roleSchema, tokenSchema } from '@tilemark/core';
import { z } from 'zod';
import { cursorQuery, ok, operation } from './operation';

export const newTokenSchema = z.strictObject({
  name: z.string().trim().min(1).max(80),
  role: roleSchema,
  /** Absent: it does not expire. */
  expiresAt: z.iso
    .datetime()
    .refine((time) => Date.parse(time) > Date.now(), 'This time is over already.')
    .optional(),
});

/** Tokens. */
export const tokenOperations = {
  listTokens: operation({
    method: 'GET',
    path: '/tokens',
    summary: 'Tokens, newest first, without their secrets.',
    access: 'admin',
    caching: 'never',
    query: cursorQuery,
    answer: ok(pageOf(tokenSchema)),
  }),
  createToken: operation({
    method: 'POST',
    path: '/tokens',
    summary: 'Makes a token. Its secret is in this answer and nowhere else.',
    access: 'admin',
    caching: 'never',
    audit: 'createToken',
    body: newTokenSchema,
    answer: { status: 201, schema: z.object({ id: z.string(), secret: z.string() }) },
  }),
  revokeToken: operation({
    method: 'DELETE',
    path: '/tokens/{id}',
    summary: 'Revokes a token, every session it opened and every worker that enrolled with it.',
    access: 'admin',
    caching: 'never',
    audit: 'revokeToken',
    answer: { status: 204 },
  }),
} as const;
