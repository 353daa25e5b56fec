import { z } from 'zod';
import { problemSchema, shapeSchema, variantSchema } from '../spec';
import { rateSchema } from './rate';

const hardware = z.object({ gpu: z.string().nullable(), cpu: z.string().nullable() });
const percent = z.number().min(0).max(100);

/** One figure of a report. */
export const publishedFigureSchema = z.object({
  /** What the report calls the variant. */
  label: z.string(),
  runtime: z.enum(['cuda', 'cpu']),
  variant: variantSchema,
  address: z.string(),
  problem: problemSchema,
  timeMs: z.number().positive(),
  /** GFLOP/s or GB/s, counted as ours are. */
  rate: rateSchema,
  note: z.string().nullable(),
});
export type PublishedFigure = z.infer<typeof publishedFigureSchema>;

/** Figures of a report that a suite reproduces: shown beside ours, never ranked with them. */
export const publishedSchema = z.object({
  suite: z.string(),
  source: z.object({
    id: z.string(),
    title: z.string(),
    language: z.string(),
    date: z.iso.date().nullable(),
    note: z.string().nullable(),
  }),
  /** Null where the source does not say. */
  hardware,
  results: z.array(publishedFigureSchema),
  transfers: z.array(
    z.object({
      shape: shapeSchema,
      hostToDeviceMs: z.number().positive(),
      deviceToHostMs: z.number().positive(),
    }),
  ),
  /** What the report's profiler said, in percent of the hardware's peak. */
  profiles: z.array(
    z.object({
      label: z.string(),
      block: z.number().int().nullable(),
      computeThroughputPercent: percent,
      memoryThroughputPercent: percent,
      l1Percent: percent,
      l2Percent: percent,
      dramPercent: percent,
      durationMs: z.number().positive(),
      occupancy: z
        .object({
          theoreticalPercent: percent,
          achievedPercent: percent,
          theoreticalWarpsPerMultiprocessor: z.number().int().positive(),
        })
        .nullable(),
    }),
  ),
});
export type Published = z.infer<typeof publishedSchema>;
