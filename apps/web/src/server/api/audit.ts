import { auditActionSchema, auditEntrySchema, pageOf } from '@tilemark/core';
import { z } from 'zod';
import { idCursorQuery, noun, ok, operation } from './operation';

/** Who did what. */
export const audit = noun();

operation(
  audit,
  {
    id: 'listAudit',
    method: 'get',
    path: '/audit',
    summary: 'Who did what, newest first.',
    access: 'admin',
    query: idCursorQuery.extend({
      action: auditActionSchema.optional(),
      /** Id of a token. */
      actor: z.string().max(64).optional(),
    }),
    answer: ok(pageOf(auditEntrySchema)),
  },
  ({ query: { cursor, action, actor }, services: { store } }) =>
    store.audit.list({ cursor, action, actorId: actor }),
);
