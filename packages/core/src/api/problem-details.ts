import { z } from 'zod';

/** RFC 9457. `field` names what is at fault in the request. */
export const problemDetailsSchema = z.object({
  type: z.string(),
  title: z.string(),
  status: z.number().int(),
  detail: z.string(),
  field: z.string().optional(),
});
export type ProblemDetails = z.infer<typeof problemDetailsSchema>;
