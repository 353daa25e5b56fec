import { z } from 'zod';

export const healthSchema = z.object({
  status: z.enum(['ok', 'degraded']),
  version: z.string(),
  database: z.enum(['up', 'down']),
  queue: z.object({ backend: z.enum(['redis', 'postgres']), state: z.enum(['up', 'down']) }),
});
