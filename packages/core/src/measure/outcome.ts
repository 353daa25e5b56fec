import { z } from 'zod';
import { address, MAXIMA, reason, shortened, word, words } from '../schema/maxima';
import { seriesSchema } from '../statistics/summary';
import { energySchema } from './energy';
import { seedSchema } from './seed';

export const METHODOLOGY_VERSION = 4;

/** A time in ns that a clock can produce: finite and above zero, so NaN never passes. */
const ns = z.number().positive();

const verificationSchema = z.object({
  /** `device`: every element, on the device. */
  method: z.enum(['device', 'whole', 'exact', 'freivalds']),
  /** Largest error over its bound; at most 1 passes. 0 for exact comparisons. */
  worstRatio: z.number().nonnegative(),
  /** Elements (or rows, for Freivalds) compared. */
  checked: z.number().int().positive(),
  /** Time of the comparison; the first includes making inputs and reference. */
  ns: z.number().nonnegative(),
});
export type Verification = z.infer<typeof verificationSchema>;

const stopReasonSchema = z.enum([
  'converged',
  'noisy',
  'capped',
  'unsettled',
  'throttled',
  'quick',
]);
export type StopReason = z.infer<typeof stopReasonSchema>;

/** The device's clocks, as the driver's own tool (`nvidia-smi`) reports them. */
const clocksSchema = z.object({
  smMHz: z.number(),
  memoryMHz: z.number(),
  temperatureC: z.number(),
  powerW: z.number(),
  /** What the driver lets it draw; absent where it does not tell. */
  powerCapW: z.number().optional(),
  /** Why the clocks are below their maximum, in the driver's words; empty if they are not. */
  limitedBy: words,
});
export type Clocks = z.infer<typeof clocksSchema>;

/** About 0.1 s of cold samples, and how fast the device was after them. */
const batchSchema = z.object({
  samples: z.number().int().positive(),
  /** Time of the canary's fixed load, ns. */
  canaryNs: ns,
  /** Absent where the driver does not report them. */
  smMHz: z.number().optional(),
  limitedBy: words.optional(),
  /** Then its samples were discarded, unless most were. */
  isSlow: z.boolean(),
});
export type Batch = z.infer<typeof batchSchema>;

const proofSchema = z.object({
  /** Repeats the inputs and every choice of what was checked (seed.ts). */
  seed: seedSchema,
  /** Dispatches whose output was verified, before, while and after it was timed. */
  dispatches: z.number().int().positive(),
  /** RMS error of all elements verified, in roundoffs of the dtype. */
  rms: z.number().nonnegative(),
  /** Whether dispatches on the same inputs wrote the same bits; absent: not known. */
  isRepeatable: z.boolean().optional(),
  /** Time of a dispatch on new inputs over that on inputs it has seen; null if not taken. */
  freshRatio: z.number().nonnegative().nullable(),
  /** Time of all of it, ns. */
  ns: z.number().nonnegative(),
});

const dueledSideSchema = seriesSchema.extend({
  /** Why the time is not believed; null if it is. */
  implausible: reason.nullable(),
});

export const duelSchema = z.object({
  verdict: z.enum(['FAST', 'SLOW', 'SAME', 'UNDECIDED']),
  /** Times that A is faster than B, with its 95% interval. */
  ratio: z.number().positive(),
  low: z.number().positive(),
  high: z.number().positive(),
  /** See `Contrast`. */
  wouldTake: z.number().nullable(),
  /** Rounds of A B B A or B A A B. */
  rounds: z.number().int().positive(),
  stop: z.enum(['converged', 'capped']),
  a: dueledSideSchema,
  b: dueledSideSchema,
});
export type Duel = z.infer<typeof duelSchema>;

/** What the compiler remarked on a kernel that compiled, by lines of its author's file. */
const remarksSchema = z
  .array(
    z.object({
      line: z.number(),
      column: z.number(),
      message: reason.overwrite((text) => shortened(text, MAXIMA.characters.reasonInList)),
    }),
  )
  .max(MAXIMA.remarks);

export const measurementSchema = z.object({
  /** How it was measured: results of other versions are not comparable with it. */
  methodologyVersion: z.literal(METHODOLOGY_VERSION, {
    error: ({ input }) =>
      `measured with methodology ${input}; this version takes results of methodology ${METHODOLOGY_VERSION} alone`,
  }),
  policy: word,
  /** The process that measured it: several results of one are one invocation; absent: unknown. */
  invocation: z.uuid().optional(),
  timer: z.object({ kind: z.enum(['timestamp', 'wall']), tickNs: z.number().nonnegative() }),
  dispatchesPerSample: z.number().int().positive(),
  bufferSets: z.number().int().positive(),
  /** The headline: buffer sets rotated so that the last-level cache starts cold. */
  cold: seriesSchema,
  /** The same buffers again and again. */
  hot: seriesSchema.nullable(),
  /** Null if it was compiled during another measurement. */
  compileNs: z.number().nonnegative().nullable(),
  transfer: z.object({
    /** For the inputs of one buffer set; null on the host, and if the policy leaves it out. */
    hostToDeviceNs: z.number().nonnegative().nullable(),
    deviceToHostNs: z.number().nonnegative(),
  }),
  stop: stopReasonSchema,
  /** Samples discarded, and why: for example warm-up, or throttling. */
  discarded: z
    .array(z.object({ count: z.number().int().positive(), why: reason }))
    .max(MAXIMA.discarded),
  verification: z.object({
    before: verificationSchema,
    /** The outputs that the cold series left. */
    after: verificationSchema,
    ...proofSchema.shape,
  }),
  /**
   * The shortest time that the device's measured peak and bandwidth allow, ns; null or absent if
   * it has no probes or the policy is not ranked. `roof.ns / cold.medianNs` is the part of peak.
   */
  roof: z.object({ ns, bound: z.enum(['compute', 'bandwidth']) }).nullish(),
  /** Of the cold series, in order; absent if nothing watched the device. */
  batches: z.array(batchSchema).max(MAXIMA.batches).optional(),
  /** Around the cold series; null or absent if the driver does not report them. */
  clocks: z.object({ before: clocksSchema, after: clocksSchema }).nullish(),
  /** Under the policy `energy`; null: the device's energy cannot be read; absent: not asked for. */
  energy: energySchema.nullish(),
  /** Its turns with the rival of the run; absent: it has none. `why`: why there is no ratio. */
  duel: z
    .object({ against: address, duel: duelSchema.nullable(), why: reason.nullable() })
    .optional(),
  /** Why the result is shown but not ranked; null when it is ranked. */
  unranked: reason.nullable(),
  /** Whether the reason says that the times are not those of the work, rather than what disturbed them. */
  disbelieved: z.boolean().optional(),
});
export type Measurement = z.infer<typeof measurementSchema>;

const worstElementSchema = z.object({
  /** Indices into the output, row then column. */
  row: z.number().int().nonnegative(),
  col: z.number().int().nonnegative(),
  /** The value found: a number, or its name where JSON has none (`NaN`, `Infinity`, `-0`). */
  got: z.union([z.number(), word]),
  want: z.union([z.number(), word]),
  bound: z.number().nonnegative(),
});

export const STAGES = ['prepare', 'compile', 'verify', 'measure', 'device'] as const;

/** A run ends in exactly one of these. */
export const outcomeSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('measured'),
    measurement: measurementSchema,
    /** Absent: none. */
    remarks: remarksSchema.optional(),
  }),
  z.object({ kind: z.literal('skipped'), why: reason }),
  z.object({
    kind: z.literal('incorrect'),
    when: z.enum(['before', 'after']),
    worst: worstElementSchema,
    /** Why it is wrong although each element is within its bound: too little precision. */
    reason: reason.optional(),
    /** Elements beyond their bound, of how many. */
    beyond: z.number().int().nonnegative().optional(),
    checked: z.number().int().positive().optional(),
    /** RMS error in roundoffs of the dtype. */
    rms: z.number().nonnegative().optional(),
    /** See `Measurement.invocation`. */
    invocation: z.uuid().optional(),
    remarks: remarksSchema.optional(),
  }),
  z.object({ kind: z.literal('failed'), stage: z.enum(STAGES), message: reason }),
]);
export type Outcome = z.infer<typeof outcomeSchema>;
export type MeasuredOutcome = Extract<Outcome, { kind: 'measured' }>;
export type OutcomeKind = Outcome['kind'];

/** An outcome whose texts are as short as they are kept, whoever wrote it. */
export function withShortReasons(outcome: Outcome): Outcome {
  switch (outcome.kind) {
    case 'skipped':
      return { ...outcome, why: shortened(outcome.why) };
    case 'failed':
      return { ...outcome, message: shortened(outcome.message) };
    case 'incorrect':
      return outcome.reason === undefined
        ? outcome
        : { ...outcome, reason: shortened(outcome.reason) };
    default:
      return outcome;
  }
}

/** The stage whose failures are the kernel's own: they come again whenever it is run. */
export const KERNEL_STAGE = 'compile';

/** Whether a run that ended so may end otherwise when it is tried again. */
export const mayEndOtherwise = (outcome: Outcome | null): boolean =>
  outcome?.kind === 'failed' && outcome.stage !== KERNEL_STAGE;

/** Whether a run that ended so speaks against its kernel. */
export const isBad = (kind: string | undefined): boolean =>
  kind === 'incorrect' || kind === 'failed';

/** Ends the reason of an output that is NaN although numbers lay there: it was not left unwritten. */
export const COMPUTES_NAN = ', whatever lay there before: the kernel computes it';

/** Why a run has no number, or why its number is not ranked; null if there is nothing to explain. */
export function outcomeReason(outcome: Outcome | null): string | null {
  switch (outcome?.kind) {
    case 'skipped':
      return outcome.why;
    case 'incorrect': {
      const { beyond = 0, checked = 0, reason, when } = outcome;
      const { row, col, got, want } = outcome.worst;
      if (reason !== undefined) return `${reason} (${when} timing)`;
      const [wrong, all] = [beyond, checked].map((count) => count.toLocaleString('en'));
      const many = beyond > 1 ? `; ${wrong} of ${all} elements are wrong` : '';
      return `element [${row}, ${col}] is ${digitsOf(got)}, should be ${digitsOf(want)} (${when} timing)${many}`;
    }
    case 'failed':
      return `${outcome.stage}: ${outcome.message}`;
    case 'measured':
      return unrankedText(outcome.measurement.unranked);
    default:
      return null;
  }
}

/** A number with as many digits as tell any two of f32 apart. */
const digitsOf = (value: number | string): string =>
  typeof value === 'number' ? String(Number(value.toPrecision(9))) : value;

/** A reason to leave a measurement unranked, as a sentence about it; null when it is ranked. */
const unrankedText = (unranked: string | null): string | null =>
  unranked && `not ranked: ${unranked}`;
