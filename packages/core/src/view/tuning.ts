import { z } from 'zod';
import { profileSchema } from '../measure/device';
import { policyIdSchema } from '../measure/policy';
import { FAMILIES } from '../plan/families';
import { askedProblemSchema } from '../plan/spec';
import { dtypeSchema } from '../schema/op';
import {
  FAMILY_BUDGET,
  familyDecisionSchema,
  familyIdSchema,
  familyRequestSchema,
} from '../tune/family-tuning';
import {
  TUNING_BUDGET,
  tuningDecisionSchema,
  tuningRequestSchema,
  turnsSchema,
} from '../tune/problem-tuning';
import { id, rateSchema } from './answer';
import { deviceRefSchema } from './device';

/** What `POST /tunings` takes: a problem, or a family of shapes with a dtype. */
export const newTuningSchema = z
  .strictObject({
    device: z.string().min(1).max(300).describe('Key of the device.'),
    problem: askedProblemSchema.optional().describe('What to search; or else `suite` and `dtype`.'),
    suite: familyIdSchema
      .optional()
      .describe(`A family of shapes: ${FAMILIES.map((family) => family.id).join(', ')}.`),
    dtype: dtypeSchema.optional().describe('Of the family; f32 unless given.'),
    kernel: z
      .string()
      .min(1)
      .max(80)
      .optional()
      .describe(
        'Searches the tunables of this kernel alone, for a problem: one of ours, or a contributed one. Unless given, all of ours are searched.',
      ),
    profile: profileSchema.default('default'),
    budgetSeconds: z
      .number()
      .int()
      .min(TUNING_BUDGET.least)
      .max(FAMILY_BUDGET.most)
      .optional()
      .describe(
        `Time of the device that the search may take, s; waiting does not count. At most ${TUNING_BUDGET.most} for a problem, ${FAMILY_BUDGET.most} for a family; ${TUNING_BUDGET.usual} and ${FAMILY_BUDGET.usual} unless given.`,
      ),
  })
  .superRefine(({ budgetSeconds = 0, dtype, kernel, problem, suite }, { addIssue }) => {
    const refuse = (field: string, message: string) =>
      addIssue({ code: 'custom', path: [field], message });
    if (problem && suite) refuse('suite', 'Choose a problem or a suite, not both.');
    else if (!problem && !suite) refuse('problem', 'Name a problem, or a suite of shapes.');
    else if (suite && kernel)
      refuse('kernel', 'A suite is searched with all kernels: name a problem.');
    else if (problem && dtype) refuse('dtype', 'A problem has its dtype in `problem.dtype`.');
    else if (problem && budgetSeconds > TUNING_BUDGET.most)
      refuse(
        'budgetSeconds',
        `budgetSeconds must be a whole number from ${TUNING_BUDGET.least} to ${TUNING_BUDGET.most}`,
      );
  });
export type NewTuning = z.infer<typeof newTuningSchema>;

/** How far any tuning is. */
const progressSchema = z.object({
  device: deviceRefSchema,
  /** Variants that were screened so far. */
  tried: z.number().int(),
  /** Time of its runs so far, s; finals and duels may exceed the budget. */
  usedSeconds: z.number(),
});

const fastestSchema = z.object({
  address: z.string(),
  resultId: id,
  /** Of the run that its time is of: after screening alone a quick one, which is less certain. */
  policy: policyIdSchema,
  medianNs: z.number(),
  /** The ends of the 95% interval of the median, or of the range of few samples. */
  lowNs: z.number(),
  highNs: z.number(),
  samples: z.number().int(),
  /** How many independent ones they are worth; null: not known. */
  independent: z.number().nullable(),
  rate: rateSchema,
});

/** Of a sweep that grows until the fastest variant of a problem on a device is found. */
const problemTuningSchema = tuningRequestSchema.extend({
  ...progressSchema.shape,
  /** `screening`: many variants, few samples; `finals`: the leaders in full; `duels`: in turns. */
  phase: z.enum(['screening', 'finals', 'duels', 'done']),
  /** Variants that were measured in full. */
  finals: z.number().int(),
  /** The winner or, until there is one, the fastest so far; null: nothing plausible was measured. */
  best: fastestSchema.nullable(),
  decision: tuningDecisionSchema.nullable(),
});
export type ProblemTuning = z.infer<typeof problemTuningSchema>;

/** Of a sweep that grows until a family of shapes was searched on a device. */
export const familyTuningSchema = familyRequestSchema.extend({
  ...progressSchema.shape,
  /** `screening`: the candidates of shape after shape; `duels`: the nearest two of a shape. */
  phase: z.enum(['screening', 'duels', 'done']),
  /** Shapes of the family: those to search are all but `skipped`. */
  shapes: z.object({
    total: z.number().int(),
    done: z.number().int(),
    /** Begun and not done, as `shapeText` writes them. */
    running: z.array(z.string()),
  }),
  /** Time of its runs that is still to come, s: an estimate; null before the first shape is done. */
  leftSeconds: z.number().nullable(),
  decision: familyDecisionSchema.nullable(),
});
export type FamilyTuning = z.infer<typeof familyTuningSchema>;

/** Of a sweep that grows: of a problem, or of a family, which has a `suite`. */
export const tuningSchema = z.union([problemTuningSchema, familyTuningSchema]);
export type Tuning = z.infer<typeof tuningSchema>;

/** A shape of a family that is tuned. */
export const tunedShapeSchema = z.object({
  /** As `shapeText` writes it. */
  shape: z.string(),
  /**
   * `waiting`: not begun; `running`: being screened; `done`; `skipped`: it does not fit the device, as
   * `why` says; `missed`: the search ended before it was its turn, or cut it short.
   */
  state: z.enum(['waiting', 'running', 'done', 'skipped', 'missed']),
  why: z.string().nullable(),
  /** Candidates that were screened. */
  tried: z.number().int(),
  /** The fastest so far; null: nothing was measured. */
  best: fastestSchema.nullable(),
  /** Of the two nearest, where they took turns. */
  duel: turnsSchema.nullable(),
});
export type TunedShape = z.infer<typeof tunedShapeSchema>;
