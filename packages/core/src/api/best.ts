import { MAX_DIMENSION } from '@tilemark/kernels';
import { z } from 'zod';
import { profileSchema } from '../device';
import { dtypeSchema, problemSchema, variantSchema } from '../spec';
import { tunedVariantSchema } from '../tuned/tuned-file';
import { deviceRefSchema } from './device';
import { date, id } from './field';
import { needsSchema } from './kernel';
import { rateSchema } from './rate';

const DIMENSION = `a dimension is a whole number from 1 to ${MAX_DIMENSION}`;
const dimension = z.coerce
  .number(DIMENSION)
  .int(DIMENSION)
  .min(1, DIMENSION)
  .max(MAX_DIMENSION, DIMENSION)
  .optional();

/** What a program asks that has a problem and a GPU and wants the kernel to run. */
export const bestQuerySchema = z.object({
  op: z.enum(['matmul', 'transpose']).default('matmul'),
  /** Of a matmul. */
  m: dimension,
  n: dimension,
  k: dimension,
  /** Of a transpose. */
  rows: dimension,
  cols: dimension,
  dtype: dtypeSchema.default('f32'),
  profile: profileSchema.default('default'),
  /** As WebGPU's adapter info names them; a device that is known has its own. */
  vendor: z.string().max(120).optional(),
  architecture: z.string().max(120).optional(),
  /** A device key. */
  device: z.string().max(300).optional(),
});
export type BestQuery = z.infer<typeof bestQuerySchema>;

/** The variant to run for a problem, and how it was found. */
export const bestVariantSchema = z.object({
  /**
   * Whose results decided: the first of these that has any for a problem like this.
   * `shipped`: none of this grid, but what the release knows of such devices.
   */
  fallback: z.enum(['device', 'shipped', 'architecture', 'vendor', 'overall']),
  /** The problem asked for. */
  asked: problemSchema,
  /** The problem that was measured: the asked one, or the nearest. */
  measured: problemSchema,
  isExact: z.boolean(),
  profile: profileSchema,
  variant: variantSchema,
  address: z.string(),
  /** Devices of this grid that have measured the variant on this problem; 0 where it is shipped. */
  devices: z.number().int().nonnegative(),
  /** Geometric mean over them of its part of the best rate there; 1: the best on each. */
  partOfBest: z.number().min(0).max(1).nullable(),
  /** The result on the device where it comes nearest to the best; null where it is shipped. */
  result: z
    .object({
      id,
      device: deviceRefSchema,
      medianNs: z.number().positive(),
      rate: rateSchema,
      measuredAt: date,
    })
    .nullable(),
  /** Where a shipped variant was measured and how it was found; null for results of this grid. */
  shipped: tunedVariantSchema
    .pick({ medianNs: true, lowNs: true, highNs: true, driver: true, found: true })
    .extend({ device: z.string(), rate: rateSchema, measuredAt: date })
    .nullable(),
  /** The shader for the dtype and tunables, as this release writes it; null for host kernels. */
  wgsl: z.string().nullable(),
  /** Whether exactly this shader was measured; null: a file and what is shipped do not say. */
  isSourceMeasured: z.boolean().nullable(),
  needs: needsSchema.nullable(),
  /** The dispatches that run the asked problem, in order; empty for host kernels. */
  passes: z.array(
    z.object({
      entryPoint: z.string(),
      workgroups: z.tuple([z.number(), z.number(), z.number()]),
    }),
  ),
});
export type BestVariant = z.infer<typeof bestVariantSchema>;
