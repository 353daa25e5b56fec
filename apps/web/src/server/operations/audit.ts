import { auditActionSchema, auditEntrySchema, pageOf } from '@tilemark/core';
import { z } from 'zod';
import { cursorQuery, ok, operation } from './operation';

/** Who did what. */
export const auditOperations = {
  listAudit: operation({
    method: 'GET',
    path: '/audit',
    summary: 'Who did what, newest first.',
    access: 'admin',
    caching: 'never',
    query: cursorQuery.extend({
      action: auditActionSchema.optional(),
      /** Id of a token. */
      actor: z.string().max(64).optional(),
    }),
    answer: ok(pageOf(auditEntrySchema)),
  }),
} as const;
