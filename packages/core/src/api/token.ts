import { z } from 'zod';
import { date, id } from './field';

export const roleSchema = z.enum(['member', 'admin', 'worker']);

/** A token without its secret, which is kept nowhere. */
export const tokenSchema = z.object({
  id,
  name: z.string(),
  role: roleSchema,
  createdAt: date,
  /** Null: it does not expire. */
  expiresAt: date.nullable(),
  /** To the minute; null: it was never used. */
  lastUsedAt: date.nullable(),
  revokedAt: date.nullable(),
  /** When a worker that enrolled with it was revoked: it lets in no new one since. */
  closedAt: date.nullable(),
});
export type Token = z.infer<typeof tokenSchema>;
