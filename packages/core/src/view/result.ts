import { rateOf } from '@tilemark/kernels';
import { z } from 'zod';
import {
  type DeviceIdentity,
  deviceKey,
  environmentSchema,
  profileSchema,
} from '../measure/device';
import { type Outcome, outcomeSchema } from '../measure/outcome';
import { policyIdSchema } from '../measure/policy';
import { outlierSchema } from '../measure/trust';
import type { AskedRun } from '../plan/expansion';
import { problemSchema, variantSchema } from '../plan/spec';
import { address, line, MAXIMA, word } from '../schema/maxima';
import { date, id, name, rateSchema } from './answer';
import { deviceRefSchema } from './device';
import { metricsText } from './metrics';

/** Who imported a result from a file, and when. */
export const importedSchema = z.object({ by: word, at: date });
export type ImportedMark = z.infer<typeof importedSchema>;

/** What stands as `confirmedBy` where nobody else need agree. */
export const BY_OPERATOR = 'the operator';

/** One run of a sweep; `outcome` is null until it ends. */
export const runResultSchema = z.object({
  runId: id,
  /** Set once there is an outcome; see `GET /results/:id`. */
  resultId: id.nullable(),
  variant: variantSchema,
  /** `matmul/tiled[TILE=16,...]`. */
  address,
  problem: problemSchema,
  device: deviceRefSchema,
  /** The machine or browser tab that measured it, as it is called; null or absent: a file does not say. */
  workerName: line.nullish(),
  profile: profileSchema,
  policy: policyIdSchema,
  outcome: outcomeSchema.nullable().describe(metricsText()),
  /** When it was measured; null or absent before that. */
  endedAt: date.nullish(),
  /** Null or absent if a worker of this grid measured it. */
  imported: importedSchema.nullish(),
  /**
   * Who or what agrees with it, in words: `the operator` of what is its own. Null or absent: nobody
   * but the party that measured it.
   */
  confirmedBy: line.nullish(),
  /** GFLOP/s or GB/s from the cold median; null unless measured. */
  rate: rateSchema.nullable(),
});
export type RunResult = z.infer<typeof runResultSchema>;

export const measuredVariantSchema = z.object({
  address: z.string(),
  resultId: id,
  medianNs: z.number(),
  /** The time it is placed by, and its shares are of: the median or, of a wide interval, the slow end. */
  provenNs: z.number(),
});

/**
 * The device's variant with the shortest median, where its wide interval keeps it from being placed
 * first: ranked if the best is, not ranked otherwise. Null or absent: there is none.
 */
export const shorterMedianSchema = measuredVariantSchema.nullish();

/** The best of a problem on a device, with the interval that the board shows. */
export const bestResultSchema = runResultSchema.extend({
  /** Of the headline: with the spread between runs, so wider than that of the result itself. */
  headline: z.object({ medianNs: z.number(), lowNs: z.number(), highNs: z.number() }),
  shorterMedian: shorterMedianSchema,
});
export type BestResult = z.infer<typeof bestResultSchema>;

/** A run that ended where no grid knows of it, as files and tables have it. */
export function resultOf(
  run: AskedRun & Pick<RunResult, 'address'>,
  device: DeviceIdentity,
  outcome: Outcome,
  /** Of a run that has a name already. */
  { endedAt, runId }: Pick<RunResult, 'runId'> & { readonly endedAt: string } = {
    endedAt: new Date().toISOString(),
    runId: crypto.randomUUID(),
  },
): RunResult {
  const { variant, address, problem, profile, policy } = run;
  return {
    runId,
    resultId: null,
    variant,
    address,
    problem,
    profile,
    policy,
    device: { key: deviceKey(device), name: device.device, class: device.class },
    outcome,
    endedAt,
    rate: outcome.kind === 'measured' ? rateOf(problem, outcome.measurement.cold.medianNs) : null,
  };
}

export const resultDetailSchema = runResultSchema.extend({
  sweep: z.object({ id, name }),
  environment: environmentSchema,
  /** The specialised source that ran; null for host kernels. */
  wgsl: z.string().nullable(),
  worker: z.object({ id, name: z.string() }),
  createdAt: date,
  /** Set if it is far from other results of the same run on the same device and driver. */
  outlier: outlierSchema.nullish(),
});
export type ResultDetail = z.infer<typeof resultDetailSchema>;

/** What `tilemark bench --json` writes and `results/import` takes. */
export const benchFileSchema = z.object({
  version: z.literal(1, {
    error: ({ input }) =>
      input === undefined
        ? 'the version that such a file begins with is missing'
        : typeof input === 'number' && input > 1
          ? `version ${input} was written by a newer Tilemark; this one reads version 1`
          : undefined,
  }),
  /** Of the first device and profile. */
  environment: environmentSchema,
  /** Of the others, if there are several; a result's is the one with its device and profile. */
  environments: z.array(environmentSchema).max(MAXIMA.environments).default([]),
  results: z.array(runResultSchema).max(MAXIMA.results),
});
export type BenchFile = z.infer<typeof benchFileSchema>;
