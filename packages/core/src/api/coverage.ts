import { z } from 'zod';
import { deviceRefSchema } from './device';
import { id } from './field';

/** How much of a suite a device has, in runs. */
export const coverageCellSchema = z.object({
  /** Of the suite. */
  suite: z.string(),
  /** The sizes it stands at for this class of device; empty where it has none to choose. */
  params: z.record(z.string(), z.number()),
  total: z.number().int(),
  /** Measured or skipped, with the source that the kernel has today. */
  done: z.number().int(),
  /** Failed or incorrect, with that source. */
  failed: z.number().int(),
  /** Waiting or being measured. */
  running: z.number().int(),
  /** Ended, with a source that has changed since. */
  stale: z.number().int(),
  never: z.number().int(),
});
export type CoverageCell = z.infer<typeof coverageCellSchema>;

/** Devices against the suites that stand for their class. */
export const coverageSchema = z.object({
  suites: z.array(z.object({ id: z.string(), title: z.string() })),
  devices: z.array(z.object({ device: deviceRefSchema, cells: z.array(coverageCellSchema) })),
});
export type Coverage = z.infer<typeof coverageSchema>;

/** Which cells to measure again. */
export const refreshSchema = z.strictObject({
  /** A device key; null: every device. */
  device: z.string().max(300).nullable(),
  /** Null: every suite. */
  suite: z.string().max(80).nullable(),
});
export type Refresh = z.infer<typeof refreshSchema>;

export const refreshedSchema = z.object({
  /** One for each device and suite that had stale runs. */
  sweeps: z.array(id),
  runs: z.number().int(),
});
