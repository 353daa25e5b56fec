import { z } from 'zod';

/** A named, versioned sweep kept in code. */
export const suiteSchema = z.object({
  id: z.string(),
  version: z.number().int().positive(),
  title: z.string(),
  about: z.string(),
  params: z.array(
    z.object({
      name: z.string(),
      about: z.string(),
      default: z.number(),
      min: z.number(),
      max: z.number(),
    }),
  ),
});
export type SuiteInfo = z.infer<typeof suiteSchema>;
