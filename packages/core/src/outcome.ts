import { z } from 'zod';

export const METHODOLOGY_VERSION = 1;

/** A time in ns that a clock can have given: finite and above zero, so NaN never passes. */
const ns = z.number().positive();

/** Order statistics of one series of samples; times are per dispatch, in ns. */
export const seriesSchema = z.object({
  n: z.number().int().positive(),
  medianNs: ns,
  /** 95% order-statistic interval of the median. */
  lowNs: ns,
  highNs: ns,
  minNs: ns,
  q1Ns: ns,
  q3Ns: ns,
  /** Standard deviation over mean. */
  cv: z.number().nonnegative(),
  /** Every sample in the order taken. */
  samplesNs: z.array(ns),
});
export type Series = z.infer<typeof seriesSchema>;

export const verificationSchema = z.object({
  /** `identical`: bit for bit the output before it, which was right. */
  method: z.enum(['whole', 'exact', 'freivalds', 'identical']),
  /** Largest error over its bound; at most 1 passes. 0 for exact comparisons. */
  worstRatio: z.number().nonnegative(),
  /** Elements (or rows, for Freivalds) looked at. */
  checked: z.number().int().positive(),
  /** Time of the comparison; of the first also that of making inputs and reference. */
  ns: z.number().nonnegative(),
});
export type Verification = z.infer<typeof verificationSchema>;

export const stopReasonSchema = z.enum(['converged', 'noisy', 'capped', 'throttled', 'quick']);
export type StopReason = z.infer<typeof stopReasonSchema>;

/** What the driver's own tool says of the device (`nvidia-smi`). */
export const clocksSchema = z.object({
  smMHz: z.number(),
  memoryMHz: z.number(),
  temperatureC: z.number(),
  powerW: z.number(),
  /** Why the clocks are below their maximum, in the driver's words; empty: they are not. */
  limitedBy: z.array(z.string()),
});
export type Clocks = z.infer<typeof clocksSchema>;

export const measurementSchema = z.object({
  methodologyVersion: z.number().int().positive(),
  policy: z.string(),
  timer: z.object({ kind: z.enum(['timestamp', 'wall']), tickNs: z.number().nonnegative() }),
  dispatchesPerSample: z.number().int().positive(),
  bufferSets: z.number().int().positive(),
  /** The headline: buffer sets rotated so that the last-level cache starts cold. */
  cold: seriesSchema,
  /** The same buffers again and again. */
  hot: seriesSchema.nullable(),
  /** Null where it was compiled beside another measurement. */
  compileNs: z.number().nonnegative().nullable(),
  transfer: z.object({
    /** Of the inputs of one buffer set; null on the host, and where the policy leaves it out. */
    hostToDeviceNs: z.number().nonnegative().nullable(),
    deviceToHostNs: z.number().nonnegative(),
  }),
  stop: stopReasonSchema,
  /** Samples thrown away and why, for example by the throttle canary. */
  discarded: z.array(z.object({ count: z.number().int().positive(), why: z.string() })),
  verification: z.object({ before: verificationSchema, after: verificationSchema }),
  /**
   * The least time the device's measured peak and bandwidth allow, ns; null or absent where
   * it has no probes and under a policy that is not ranked. `roof.ns / cold.medianNs` is the part of peak.
   */
  roof: z.object({ ns, bound: z.enum(['compute', 'bandwidth']) }).nullish(),
  /** Around the cold series; null or absent where the driver does not tell. */
  clocks: z.object({ before: clocksSchema, after: clocksSchema }).nullish(),
  /** Why the result is shown and not ranked; null when it is ranked. */
  unranked: z.string().nullable(),
});
export type Measurement = z.infer<typeof measurementSchema>;

export const worstElementSchema = z.object({
  /** Indices into the output, row then column. */
  row: z.number().int().nonnegative(),
  col: z.number().int().nonnegative(),
  /** What was found: a number, or its name where JSON has none (`NaN`, `Infinity`). */
  got: z.union([z.number(), z.string()]),
  want: z.number(),
  bound: z.number().nonnegative(),
});
export type WorstElement = z.infer<typeof worstElementSchema>;

export const STAGES = ['prepare', 'compile', 'verify', 'measure', 'device'] as const;

/** A run ends in exactly one of these. */
export const outcomeSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('measured'), measurement: measurementSchema }),
  z.object({ kind: z.literal('skipped'), why: z.string() }),
  z.object({
    kind: z.literal('incorrect'),
    when: z.enum(['before', 'after']),
    worst: worstElementSchema,
  }),
  z.object({ kind: z.literal('failed'), stage: z.enum(STAGES), message: z.string() }),
]);
export type Outcome = z.infer<typeof outcomeSchema>;
export type OutcomeKind = Outcome['kind'];
