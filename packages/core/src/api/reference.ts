import { z } from 'zod';
import { deviceClassSchema, profileSchema } from '../measure/device';
import { problemSchema } from '../plan/spec';
import { date, rateSchema } from './answer';

/**
 * A figure that this grid did not measure: of one of our kernels on other hardware, of a library,
 * or of a published report. Shown beside results and never ranked with them.
 */
export const referenceFigureSchema = z.object({
  /** Null if the source does not name it. */
  hardware: z.string().nullable(),
  class: deviceClassSchema,
  by: z.discriminatedUnion('kind', [
    /** A kernel of ours, as it was when it was measured. */
    z.object({ kind: z.literal('kernel'), kernel: z.string(), address: z.string() }),
    /** `cuBLAS`; `version` says which, and how it was called. */
    z.object({ kind: z.literal('library'), name: z.string(), version: z.string() }),
    /** Other people's code: the kernel of ours that it corresponds to, and what they call theirs. */
    z.object({
      kind: z.literal('report'),
      kernel: z.string(),
      address: z.string(),
      label: z.string(),
    }),
  ]),
  problem: problemSchema,
  /** Null where profiles do not apply: libraries, reports. */
  profile: profileSchema.nullable(),
  medianNs: z.number().positive(),
  /** 95% interval of the median; null if the source has none. */
  interval: z.object({ lowNs: z.number().positive(), highNs: z.number().positive() }).nullable(),
  rate: rateSchema,
  /** Null if the source does not say. */
  measuredAt: date.nullable(),
  /** Where the figure comes from, a sentence. */
  source: z.string(),
  /** Why its own measurement would not be ranked; null when it would. */
  unranked: z.string().nullable(),
});
export type ReferenceFigure = z.infer<typeof referenceFigureSchema>;
