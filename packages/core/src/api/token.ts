import { z } from 'zod';
import { date, id } from './answer';

export const roleSchema = z.enum(['member', 'admin', 'worker']);

/** 32 random bytes make 43 characters; fewer than 32 could be guessed. */
const SECRET = /^tm_(member|admin|worker)_[A-Za-z0-9_-]{32,200}$/;

/** The role that a token's secret names, `tm_<role>_<random>`; null for text of another form. */
export const roleOfSecret = (secret: string): z.infer<typeof roleSchema> | null =>
  (SECRET.exec(secret)?.[1] as z.infer<typeof roleSchema> | undefined) ?? null;

/** A token without its secret, which is never stored. */
export const tokenSchema = z.object({
  id,
  name: z.string(),
  role: roleSchema,
  createdAt: date,
  /** Null: it does not expire. */
  expiresAt: date.nullable(),
  /** To the minute; null if never used. */
  lastUsedAt: date.nullable(),
  revokedAt: date.nullable(),
  /** Its results decide: on boards, in `/best` and roofs. */
  trusted: z.boolean(),
  /** When a worker attached with it was revoked: since then it admits no new workers. */
  closedAt: date.nullable(),
});
export type Token = z.infer<typeof tokenSchema>;

/** How the secret of an invite begins, in the fragment of `/join#…`. */
export const INVITE_PREFIX = 'tm_invite_';

/** An invite without its secret, which is never stored. */
export const inviteSchema = z.object({
  id,
  name: z.string(),
  seats: z.number().int(),
  used: z.number().int(),
  /** The tokens it makes are trusted. */
  trusted: z.boolean(),
  createdBy: z.string(),
  createdAt: date,
  expiresAt: date,
});
export type Invite = z.infer<typeof inviteSchema>;
