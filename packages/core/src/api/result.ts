import { rateOf } from '@tilemark/kernels';
import { z } from 'zod';
import { type DeviceIdentity, environmentSchema, profileSchema } from '../measure/device';
import { deviceKey } from '../measure/hardware';
import { type Outcome, outcomeSchema } from '../measure/outcome';
import { policyIdSchema } from '../measure/policy';
import { problemSchema, variantSchema } from '../plan/spec';
import { address, line, MAXIMA, word } from '../schema/maxima';
import { date, id, name, rateSchema } from './answer';
import { deviceRefSchema } from './device';
import { metricsText } from './metrics';

/** The importer of a result from a file, and the time. */
export const importedSchema = z.object({ by: word, at: date });
export type ImportedMark = z.infer<typeof importedSchema>;

/** One run of a sweep; `outcome` is null until it ends. */
export const resultSchema = z.object({
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
  /** It decides, as that of a trusted token or as confirmed; null or absent: the run has not ended. */
  trusted: z.boolean().nullish(),
  /** The token of who measured or brought it; null or absent: the grid's own account. */
  tokenName: line.nullish(),
  /** The admin who confirmed it. */
  confirmedBy: line.nullish(),
  /** GFLOP/s or GB/s from the cold median; null unless measured. */
  rate: rateSchema.nullable(),
});
export type Result = z.infer<typeof resultSchema>;

/** The best of a problem on a device, with the interval that the board shows. */
export const bestResultSchema = resultSchema.extend({
  /** Of the headline: with the spread between runs, so wider than that of the result itself. */
  headline: z.object({ medianNs: z.number(), lowNs: z.number(), highNs: z.number() }),
});
export type BestResult = z.infer<typeof bestResultSchema>;

/** A run that ended where no grid knows of it, as files and tables have it. */
export function resultOf(
  run: Pick<Result, 'variant' | 'address' | 'problem' | 'profile' | 'policy'>,
  device: DeviceIdentity,
  outcome: Outcome,
): Result {
  const { variant, address, problem, profile, policy } = run;
  return {
    runId: crypto.randomUUID(),
    resultId: null,
    variant,
    address,
    problem,
    profile,
    policy,
    device: { key: deviceKey(device), name: device.device, class: device.class },
    outcome,
    endedAt: new Date().toISOString(),
    rate: outcome.kind === 'measured' ? rateOf(problem, outcome.measurement.cold.medianNs) : null,
  };
}

export const resultDetailSchema = resultSchema.extend({
  sweep: z.object({ id, name }),
  environment: environmentSchema,
  /** The specialised source that ran; null for host kernels. */
  wgsl: z.string().nullable(),
  worker: z.object({ id, name: z.string() }),
  createdAt: date,
});
export type ResultDetail = z.infer<typeof resultDetailSchema>;

/** A file of `tilemark bench --json`. */
export const benchFileSchema = z.object({
  version: z.literal(1, {
    error: ({ input }) =>
      input === undefined
        ? 'the version that such a file begins with is missing'
        : typeof input === 'number' && input > 1
          ? `version ${input} was written by a newer Tilemark; this one reads version 1`
          : undefined,
  }),
  /** The suite that was run, `starter@1`; absent: runs chosen by hand. */
  suite: z.string().max(80).optional(),
  /** Of the first device and profile. */
  environment: environmentSchema,
  /** Of the others, if there are several; a result's is the one with its device and profile. */
  environments: z.array(environmentSchema).max(MAXIMA.environments).default([]),
  results: z.array(resultSchema).max(MAXIMA.results),
});
export type BenchFile = z.infer<typeof benchFileSchema>;

/** A file of `bench --json` as `results/import` takes it: a line of all but the results, then a line per result. */
export const benchLines = ({
  results,
  ...rest
}: { readonly results: readonly unknown[] } & Readonly<Record<string, unknown>>): string =>
  [rest, ...results].map((line) => JSON.stringify(line)).join('\n');
