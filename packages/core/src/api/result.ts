import { z } from 'zod';
import { profileSchema } from '../device';
import { environmentSchema } from '../environment';
import { outcomeSchema } from '../outcome';
import { outlierSchema } from '../outlier';
import { policyIdSchema } from '../policy';
import { problemSchema, variantSchema } from '../spec';
import { deviceRefSchema } from './device';
import { date, id, name } from './field';
import { rateSchema } from './rate';

/** Who brought a result in a file, and when. */
export const importedSchema = z.object({ by: z.string(), at: date });
export type ImportedMark = z.infer<typeof importedSchema>;

/** One run of a sweep; `outcome` is null until it has ended. */
export const runResultSchema = z.object({
  runId: id,
  /** Set once there is an outcome: `GET /results/:id`. */
  resultId: id.nullable(),
  variant: variantSchema,
  /** `matmul/tiled[TILE=16,...]`. */
  address: z.string(),
  problem: problemSchema,
  device: deviceRefSchema,
  profile: profileSchema,
  policy: policyIdSchema,
  outcome: outcomeSchema.nullable(),
  /** When it was measured; null or absent until it has been. */
  endedAt: date.nullish(),
  /** Null or absent for what a worker of this grid measured. */
  imported: importedSchema.nullish(),
  /** GFLOP/s or GB/s from the cold median; null unless measured. */
  rate: rateSchema.nullable(),
});
export type RunResult = z.infer<typeof runResultSchema>;

export const resultDetailSchema = runResultSchema.extend({
  sweep: z.object({ id, name }),
  environment: environmentSchema,
  /** The specialised source that ran; null for host kernels. */
  wgsl: z.string().nullable(),
  worker: z.object({ id, name: z.string() }),
  createdAt: date,
  /** Set where it lies far from other results of the same run on the same device and driver. */
  outlier: outlierSchema.nullish(),
});
export type ResultDetail = z.infer<typeof resultDetailSchema>;
