import { idsOf } from '@tilemark/kernels';
import { z } from 'zod';
import { profileSchema } from '../measure/device';
import { seedSchema } from '../measure/seed';
import { FAMILIES } from '../plan/families';
import { problemSchema, requestedProblemSchema } from '../plan/spec';
import { dtypeSchema } from '../schema/op';

/** Of every search. */
const common = {
  profile: profileSchema,
  /** Its proposals depend on it and on what was measured. */
  seed: seedSchema,
  /** Time of the device that it may take, s. */
  budgetSeconds: z.number().positive(),
};

const problemRequestSchema = z.object({
  problem: problemSchema,
  /** The only kernel to search; absent: all of ours. */
  kernel: z.string().optional(),
  ...common,
});
export type ProblemRequest = z.infer<typeof problemRequestSchema>;

const familyRequestSchema = z.object({
  /** A family of shapes. */
  suite: z.string(),
  dtype: dtypeSchema,
  ...common,
});
export type FamilyRequest = z.infer<typeof familyRequestSchema>;

/** What a grid is asked to search, as it is kept with its sweep: a problem, or a family of shapes. */
export const tuningRequestSchema = z.union([problemRequestSchema, familyRequestSchema]);
export type TuningRequest = z.infer<typeof tuningRequestSchema>;

/** Budgets of a problem, s. */
export const TUNING_BUDGET = { least: 10, most: 3_600, usual: 300 };

/** Budgets of a family, s. */
export const FAMILY_BUDGET = { least: 10, most: 14_400, usual: 1_800 };

/** Ids of the families. */
export const familyIdSchema = z.enum(FAMILIES.map(({ id }) => id));

/** Why the screening of a search ended. */
export const STOPS = {
  budget: 'its time was used up',
  exhausted: 'nothing was left to try',
  roof: 'the leader is within 5% of what the device can do',
} as const;

/** What a search found; its times are those of its runs. */
export const tuningDecisionSchema = z.object({
  /** Address of the variant to use; null: nothing plausible was measured, or it was of a family. */
  winner: z.string().nullable(),
  stop: z.enum(idsOf(STOPS)),
  /** Of a family: shapes that were searched, without one that the time cut short; null: of a problem. */
  shapes: z.number().int().nonnegative().nullable(),
});
export type TuningDecision = z.infer<typeof tuningDecisionSchema>;

/** What `POST /tunings` takes: a problem, or a family of shapes with a dtype. */
export const newTuningSchema = z
  .strictObject({
    device: z.string().min(1).max(300).describe('Key of the device.'),
    problem: requestedProblemSchema
      .optional()
      .describe('What to search; or else `suite` and `dtype`.'),
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

/** How far a search is. */
const progress = {
  /** Variants that were screened so far, once per shape. */
  tried: z.number().int(),
  /** Time of its runs so far, s; finals and duels may exceed the budget. */
  usedSeconds: z.number(),
  decision: tuningDecisionSchema.nullable(),
};

/** What a sweep that is a search shows of it: of a problem, or of a family, which has a `suite`. */
export const tuningSchema = z.union([
  problemRequestSchema.extend(progress),
  familyRequestSchema.extend(progress),
]);
export type Tuning = z.infer<typeof tuningSchema>;
