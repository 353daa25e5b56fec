import { z } from 'zod';
import { date, id } from './field';
import { roleSchema } from './token';

/** What the audit list tells: logging in, and every operation that changes something. */
export const auditActionSchema = z.enum([
  'logIn',
  'createSweep',
  'cancelSweep',
  'retrySweep',
  'importResults',
  'createToken',
  'revokeToken',
  'enrollWorker',
  'drainWorker',
  'pauseWorker',
  'resumeWorker',
  'revokeWorker',
  'refreshCoverage',
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
  /** What that is called today. */
  subjectName: z.string().nullable(),
});
export type AuditEntry = z.infer<typeof auditEntrySchema>;
