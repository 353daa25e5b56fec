import { type DimensionName, dimensionNames, MAX_DIMENSION } from '@tilemark/kernels';
import { z } from 'zod';
import { profileSchema } from '../measure/device';
import { problemSchema, variantSchema } from '../plan/spec';
import { dtypeSchema, epilogueSchema, opSchema } from '../schema/op';
import { foundVariantSchema } from '../tune/evidence';
import { date, id, rateSchema } from './answer';
import { deviceRefSchema } from './device';
import { needsSchema } from './kernel';
import { shorterMedianSchema } from './result';

const DIMENSION = `a dimension is a whole number from 1 to ${MAX_DIMENSION}`;
const dimension = z.coerce
  .number(DIMENSION)
  .int(DIMENSION)
  .min(1, DIMENSION)
  .max(MAX_DIMENSION, DIMENSION)
  .optional();

const dimensions = Object.fromEntries(dimensionNames().map((name) => [name, dimension])) as Record<
  DimensionName,
  typeof dimension
>;

/** The question of a program that has a problem and a GPU and wants the kernel to run. */
export const bestQuerySchema = z.object({
  op: opSchema.default('matmul'),
  // Those of the op are required but for those with a default; those of others are refused.
  ...dimensions,
  dtype: dtypeSchema.default('f32'),
  profile: profileSchema.default('default'),
  /** Put into the program of the variant that is best for the product alone. */
  epilogue: epilogueSchema.optional(),
  /** As in WebGPU's adapter info; ignored if the device is known. */
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
   * `shipped`: what the release knows about such devices, measured on this shape or predicted for it.
   * `portable`: nobody's; a choice for a plain WebGPU device, across the devices that were surveyed.
   */
  fallback: z.enum(['device', 'shipped', 'architecture', 'vendor', 'overall', 'portable']),
  asked: problemSchema,
  /** The problem that was measured: the asked one, or the nearest. */
  measured: problemSchema,
  isExact: z.boolean(),
  /**
   * It rests on results that only those who measured them vouch for, on a device that is not theirs
   * or on another than the asked one: nothing else is known (docs/measure.md).
   */
  unconfirmed: z.boolean().default(false),
  profile: profileSchema,
  variant: variantSchema,
  address: z.string(),
  /** Devices of this grid that have measured the variant on this problem; 0 if it is shipped. */
  devices: z.number().int().nonnegative(),
  /** Geometric mean of its part of the best rate on each of them; 1: the best on all. */
  partOfBest: z.number().min(0).max(1).nullable(),
  /** The result on the device where it comes closest to the best; null if it is shipped. */
  result: z
    .object({
      id,
      device: deviceRefSchema,
      medianNs: z.number().positive(),
      rate: rateSchema,
      measuredAt: date,
    })
    .nullable(),
  /** On that device. */
  shorterMedian: shorterMedianSchema,
  /**
   * Where another variant has the better time of its own, but separate times cannot tell them apart:
   * the duel that this one won on the device. Null: none decided.
   */
  duel: z
    .object({
      against: z.string(),
      /** Times that it is as fast as `against`, with the 95% interval. */
      ratio: z.number(),
      low: z.number(),
      high: z.number(),
      measuredAt: date,
    })
    .nullable(),
  /** For a shipped variant, where it was measured and how it was found; null otherwise. */
  shipped: foundVariantSchema
    .pick({ medianNs: true, lowNs: true, highNs: true, driver: true, found: true })
    .extend({ device: z.string(), rate: rateSchema, measuredAt: date })
    .nullable(),
  /**
   * For a variant that the selector chose, the time it expects on the asked problem and what it
   * learned from; null otherwise.
   */
  prediction: z
    .object({
      ns: z.number().positive(),
      /** Standard deviation of `ns`, relative. */
      error: z.number().nonnegative(),
      /** `measured`: screened on this very shape; `predicted`: from other shapes. */
      basis: z.enum(['measured', 'predicted']),
      rate: rateSchema,
      device: z.string(),
      driver: z.string(),
      /** The profile that the evidence was measured under. */
      profile: profileSchema,
      measuredAt: date,
      /** Shapes of this op and dtype that were measured on the device. */
      shapes: z.number().int().positive(),
      /** The three that follow. */
      runnersUp: z.array(
        z.object({
          address: z.string(),
          ns: z.number().positive(),
          error: z.number().nonnegative(),
          /** Absent: an earlier grid does not say. */
          basis: z.enum(['measured', 'predicted']).optional(),
        }),
      ),
    })
    .nullable(),
  /** The shader for the dtype and tunables, as this release writes it; null for host kernels. */
  wgsl: z.string().nullable(),
  /** Whether exactly this shader was measured; null for imported and shipped results, which do not say. */
  isSourceMeasured: z.boolean().nullable(),
  needs: needsSchema.nullable(),
  /** The buffers that the shader binds in group 0; each ends on a whole vec4. Empty for host kernels. */
  bindings: z.array(
    z.object({
      binding: z.number().int().nonnegative(),
      /** As the shader's header names it: A, B, C, `shape`, `scratch`. */
      name: z.string(),
      type: z.enum(['read-only-storage', 'storage', 'uniform']),
      bytes: z.number().int().positive(),
      isOutput: z.boolean(),
      /** What to write into it; absent for tensors and scratch memory. */
      values: z.array(z.number().int()).optional(),
    }),
  ),
  /** The dispatches that run the asked problem, in order; empty for host kernels. */
  passes: z.array(
    z.object({
      entryPoint: z.string(),
      workgroups: z.tuple([z.number(), z.number(), z.number()]),
    }),
  ),
});
export type BestVariant = z.infer<typeof bestVariantSchema>;
