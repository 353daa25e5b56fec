import { z } from 'zod';
import { environmentSchema } from '../environment';
import { runResultSchema } from './result';

/** What `tilemark bench --json` writes and `results/import` takes. */
export const benchFileSchema = z.object({
  version: z.literal(1, {
    error: ({ input }) =>
      typeof input === 'number' && input > 1
        ? `version ${input} is of a newer Tilemark; this one reads version 1`
        : undefined,
  }),
  /** Of the first device and profile. */
  environment: environmentSchema,
  /** Of the others, where there are several; a result's is the one with its device and profile. */
  environments: z.array(environmentSchema).default([]),
  results: z.array(runResultSchema),
});
export type BenchFile = z.infer<typeof benchFileSchema>;
