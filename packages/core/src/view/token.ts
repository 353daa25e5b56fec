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
  createdBy: z.string(),
  createdAt: date,
  expiresAt: date,
});
export type Invite = z.infer<typeof inviteSchema>;

/** What the audit log records: logging in, every operation that changes something, and alarms sent. */
export const auditActionSchema = z.enum([
  'logIn',
  'createSweep',
  'createTuning',
  'cancelSweep',
  'retrySweep',
  'importResults',
  'importReference',
  'confirmResult',
  'createToken',
  'revokeToken',
  'createInvite',
  'redeemInvite',
  'revokeInvite',
  'enrollWorker',
  'drainWorker',
  'pauseWorker',
  'resumeWorker',
  'revokeWorker',
  'refreshCoverage',
  'contributeKernel',
  'publishKernel',
  'removeKernel',
  'sendAlarm',
]);
export type AuditAction = z.infer<typeof auditActionSchema>;

export const auditEntrySchema = z.object({
  id,
  at: date,
  action: auditActionSchema,
  /** The token it was done with, by name and role as they were. */
  actor: z.object({ id, name: z.string(), role: roleSchema }),
  /** Id of the sweep, token or worker it was done to. */
  subject: z.string().nullable(),
  subjectName: z.string().nullable(),
});
export type AuditEntry = z.infer<typeof auditEntrySchema>;
