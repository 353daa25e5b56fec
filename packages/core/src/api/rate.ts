import { z } from 'zod';

/** Work over time as the op counts it; higher is better. */
export const rateSchema = z.object({ value: z.number(), unit: z.enum(['GFLOP/s', 'GB/s']) });
