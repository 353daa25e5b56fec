import { z } from 'zod';

export const sweepStatusSchema = z.enum(['queued', 'running', 'done', 'cancelled']);
export const countsSchema = z.object({
  total: z.number().int(),
  pending: z.number().int(),
  measured: z.number().int(),
  skipped: z.number().int(),
  incorrect: z.number().int(),
  failed: z.number().int(),
});
export type Counts = z.infer<typeof countsSchema>;
