import { z } from 'zod';
import { problemSchema, variantSchema } from '../plan/spec';
import { id, rateSchema } from './answer';
import { deviceRefSchema } from './device';

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

const hardware = z.object({ gpu: z.string().nullable(), cpu: z.string().nullable() });

const publishedFigureSchema = z.object({
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
  /** Null if the source does not say. */
  hardware,
  results: z.array(publishedFigureSchema),
});
export type Published = z.infer<typeof publishedSchema>;

/** How much of a suite a device has, in runs. */
const coverageCellSchema = z.object({
  suite: z.string(),
  /** Its sizes for this class of device; empty if it has no parameters. */
  params: z.record(z.string(), z.number()),
  total: z.number().int(),
  /** Measured or skipped, with the kernel's current source where that is known. */
  done: z.number().int(),
  /** Failed or incorrect, with the current source. */
  failed: z.number().int(),
  /** Being measured. */
  running: z.number().int(),
  /** Waiting for a worker. */
  waiting: z.number().int(),
  /** Ended, but the source has changed since. */
  stale: z.number().int(),
  never: z.number().int(),
});
export type CoverageCell = z.infer<typeof coverageCellSchema>;

/** Devices against the standard suites of their class. */
export const coverageSchema = z.object({
  suites: z.array(z.object({ id: z.string(), title: z.string() })),
  devices: z.array(
    z.object({
      device: deviceRefSchema,
      /** Attached now; without one its runs wait. */
      workers: z.number().int(),
      cells: z.array(coverageCellSchema),
    }),
  ),
});
export type Coverage = z.infer<typeof coverageSchema>;

/** Which cells to measure again. */
export const refreshSchema = z.strictObject({
  /** A device key; null: every device that a worker serves now. */
  device: z.string().max(300).nullable(),
  /** Null: every suite. */
  suite: z.string().max(80).nullable(),
});
export type Refresh = z.infer<typeof refreshSchema>;

export const refreshedSchema = z.object({
  /** One per device and suite with stale runs. */
  sweeps: z.array(id),
  runs: z.number().int(),
});
