import { DTYPES } from '@tilemark/kernels';
import { z } from 'zod';
import { profileSchema } from './device';
import { policyIdSchema } from './policy';

const dimension = z.number().int().min(1).max(65_536);

export const matmulShapeSchema = z.strictObject({ m: dimension, n: dimension, k: dimension });
export const transposeShapeSchema = z.strictObject({ rows: dimension, cols: dimension });
export const shapeSchema = z.union([matmulShapeSchema, transposeShapeSchema]);
export const dtypeSchema = z.enum(DTYPES);

export const problemSchema = z.discriminatedUnion('op', [
  z.strictObject({ op: z.literal('matmul'), shape: matmulShapeSchema, dtype: dtypeSchema }),
  z.strictObject({ op: z.literal('transpose'), shape: transposeShapeSchema, dtype: dtypeSchema }),
]);

export const tunableValueSchema = z.union([z.number(), z.string().max(40)]);
export const variantSchema = z.strictObject({
  kernel: z.string().max(80),
  tunables: z.record(z.string().max(40), tunableValueSchema),
});

/**
 * One kernel with the values to try for each tunable (absent: the default),
 * on every shape in every dtype. Which shapes fit, which tunables exist and
 * which values they take is the registry's word; `expand` checks it.
 */
export const caseSchema = z.strictObject({
  kernel: z.string().max(80),
  tunables: z.record(z.string().max(40), z.array(tunableValueSchema).min(1).max(64)).default({}),
  shapes: z.array(shapeSchema).min(1).max(64),
  dtypes: z.array(dtypeSchema).min(1).max(DTYPES.length).default(['f32']),
  /** Beginnings of the keys of devices that it is for, `nvidia-`; absent: all of the sweep. */
  onlyOn: z.array(z.string().max(300)).min(1).max(16).optional(),
});

export const specSchema = z.strictObject({
  cases: z.array(caseSchema).min(1).max(64),
  profiles: z.array(profileSchema).min(1).max(2).default(['default']),
  policy: policyIdSchema.default('default'),
  /** Device keys; absent: every device that has a worker attached. */
  devices: z.array(z.string().max(300)).min(1).max(200).optional(),
});
export type SweepCase = z.infer<typeof caseSchema>;
export type SweepSpec = z.infer<typeof specSchema>;

/** Runs a sweep may expand to. */
export const MAX_RUNS_PER_SWEEP = 20_000;
