import { z } from 'zod';
import { profileSchema } from '../measure/device';
import { policyIdSchema } from '../measure/policy';
import { specSchema } from '../plan/spec';
import { MAXIMA, named } from '../schema/maxima';
import { epilogueSchema } from '../schema/op';
import { date, id, name } from './answer';
import { resultSchema } from './result';
import { tuningSchema } from './tuning';

const sweepStatusSchema = z.enum(['queued', 'running', 'done', 'cancelled']);
const countsSchema = z.object({
  total: z.number().int(),
  pending: z.number().int(),
  measured: z.number().int(),
  skipped: z.number().int(),
  incorrect: z.number().int(),
  failed: z.number().int(),
});
export type Counts = z.infer<typeof countsSchema>;

export const newSweepSchema = z.union([
  z.strictObject({
    name,
    suite: z.string().max(80),
    params: named(z.string().max(40), z.number(), MAXIMA.parameters).default({}),
    profiles: z.array(profileSchema).min(1).max(2).optional(),
    policy: policyIdSchema.optional(),
    epilogue: epilogueSchema.optional(),
    devices: z.array(z.string().max(300)).min(1).max(200).optional(),
  }),
  z.strictObject({ name, spec: specSchema }),
]);
export type NewSweep = z.infer<typeof newSweepSchema>;

export const sweepCreatedSchema = z.object({ id, counts: countsSchema });

export const sweepImportedSchema = sweepCreatedSchema.extend({
  isNew: z.boolean().default(true).describe('False: the grid had this file, as that sweep.'),
});
export type SweepImported = z.infer<typeof sweepImportedSchema>;

export const tuningCreatedSchema = sweepCreatedSchema.extend({
  page: z.string().describe('Where the sweep is shown as it grows, on this site.'),
});

export const sweepSchema = z.object({
  id,
  name,
  /** `suite@version`, or null for one built by hand. */
  suite: z.string().nullable(),
  status: sweepStatusSchema,
  counts: countsSchema,
  spec: specSchema,
  createdAt: date,
  createdBy: z.string(),
  /** The token it was made with, which may cancel it; null for the grid's own sweeps. */
  createdById: z.string().nullable(),
  /** Made by importing a file of results that were measured elsewhere. */
  isImported: z.boolean(),
  /** When the last run of an import ended, where it was measured; null or absent for other sweeps. */
  measuredAt: date.nullish(),
  /** Null or absent: all of its runs were made with it. */
  tuning: tuningSchema.nullish(),
});
export type Sweep = z.infer<typeof sweepSchema>;

/** The sweeps to list. */
export const sweepFilterSchema = z.object({
  /** In the name or the suite. */
  find: z.string().trim().max(100).optional(),
  state: z.enum(['open', 'done', 'cancelled', 'imported', 'failed']).optional(),
});
export type SweepFilter = z.infer<typeof sweepFilterSchema>;

/** Sent over `sweeps/:id/events`. */
export const sweepEventSchema = z.object({
  counts: countsSchema,
  status: sweepStatusSchema,
  /** Results recorded since the last event, without samples. */
  results: z.array(resultSchema),
  /** Runs that are being measured. */
  running: z.array(id),
  tuning: tuningSchema.nullish(),
});
export type SweepEvent = z.infer<typeof sweepEventSchema>;
