import { RATE_UNITS } from '@tilemark/kernels';
import { z } from 'zod';

/** A time that Postgres can store: it has no year 0. */
export const date = z.iso
  .datetime()
  .max(40)
  .refine((time) => Date.parse(time) >= 0, 'The time is before 1970.');
export const id = z.string().min(1).max(64);
export const name = z.string().trim().min(1).max(120);

/** A list, and the cursor of the next page; null at the end. */
export const pageOf = <T extends z.ZodType>(item: T) =>
  z.object({ items: z.array(item), nextCursor: z.string().nullable() });
export interface Page<T> {
  items: T[];
  nextCursor: string | null;
}

/** Work over time as the op counts it; higher is better. */
export const rateSchema = z.object({ value: z.number(), unit: z.enum(RATE_UNITS) });

/** RFC 9457. `field` names the part of the request at fault. */
export const problemDetailsSchema = z.object({
  type: z.string(),
  title: z.string(),
  status: z.number().int(),
  detail: z.string(),
  field: z.string().optional(),
});
export type ProblemDetails = z.infer<typeof problemDetailsSchema>;

export const healthSchema = z.object({
  status: z.enum(['ok', 'degraded']),
  version: z.string(),
  database: z.enum(['up', 'down']),
  queue: z.object({ backend: z.enum(['redis', 'postgres']), state: z.enum(['up', 'down']) }),
});
