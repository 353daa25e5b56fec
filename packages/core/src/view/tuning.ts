import { z } from 'zod';
import { profileSchema } from '../measure/device';
import { problemSchema } from '../plan/spec';
import { TUNING_BUDGET, tuningDecisionSchema, tuningRequestSchema } from '../tune/tuning';
import { id, rateSchema } from './answer';
import { deviceRefSchema } from './device';

/** What `POST /tunings` takes. */
export const newTuningSchema = z.strictObject({
  device: z.string().min(1).max(300).describe('Key of the device.'),
  problem: problemSchema,
  profile: profileSchema.default('default'),
  budgetSeconds: z
    .number()
    .int()
    .min(TUNING_BUDGET.least)
    .max(TUNING_BUDGET.most)
    .default(TUNING_BUDGET.usual)
    .describe('Time of the device that the search may take, s; waiting does not count.'),
});
export type NewTuning = z.infer<typeof newTuningSchema>;

/** Of a sweep that grows until the fastest variant of a problem on a device is found. */
export const tuningSchema = tuningRequestSchema.extend({
  device: deviceRefSchema,
  /** `screening`: many variants, few samples; `finals`: the leaders in full; `duels`: in turns. */
  phase: z.enum(['screening', 'finals', 'duels', 'done']),
  /** Variants that were screened so far. */
  tried: z.number().int(),
  /** Time of its runs so far, s; finals and duels may exceed the budget. */
  usedSeconds: z.number(),
  /** The winner or, until there is one, the fastest so far; null: nothing plausible was measured. */
  best: z
    .object({ address: z.string(), resultId: id, medianNs: z.number(), rate: rateSchema })
    .nullable(),
  decision: tuningDecisionSchema.nullable(),
});
export type Tuning = z.infer<typeof tuningSchema>;
