import { z } from 'zod';
import { problemSchema, variantSchema } from '../plan/spec';
import { rateSchema } from './answer';

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

const ms = z.number().positive();

const hardware = z.object({ gpu: z.string().nullable(), cpu: z.string().nullable() });

const publishedFigureSchema = z.object({
  /** What the report calls the variant. */
  label: z.string(),
  runtime: z.enum(['cuda', 'cpu']),
  variant: variantSchema,
  address: z.string(),
  problem: problemSchema,
  timeMs: ms,
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
  /** Null if the source does not say. */
  hardware,
  /** Bytes per element that its own rates count, not ours; null if it prints none or counts as we do. */
  bytesPerElement: z.number().positive().nullable(),
  results: z.array(publishedFigureSchema),
  /** Of the inputs to the GPU and of the output back. */
  transfers: z.array(z.object({ problem: problemSchema, hostToDeviceMs: ms, deviceToHostMs: ms })),
});
export type Published = z.infer<typeof publishedSchema>;
