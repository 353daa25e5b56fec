import { z } from 'zod';
import { engineSchema, profileSchema } from '../measure/device';
import { problemSchema, variantSchema } from '../plan/spec';
import { date, id, rateSchema } from './answer';
import { needsSchema } from './kernel';
import { limitsSchema, splitSchema } from './limits';

/** The winner of a shape: its fastest known variant, measured by the full protocol, and who chose it. */
export const winnerSchema = z.strictObject({
  shape: z.string().max(60),
  /** With all of its tunables. */
  address: z.string().max(400),
  /** That it was measured under; most often that of the file. */
  profile: profileSchema,
  /** Cold median and its 95% interval, ns. */
  medianNs: z.number().positive(),
  lowNs: z.number().positive(),
  highNs: z.number().positive(),
  measuredAt: z.iso.datetime(),
  driver: z.string(),
  runtimeVersions: z.record(z.string(), z.string()),
  origin: z.discriminatedUnion('by', [
    /** By `tilemark tune`, from a cold start. */
    z.strictObject({ by: z.literal('tuner'), command: z.string(), tried: z.number().int() }),
    /** Chosen by a person, as `note` explains. */
    z.strictObject({ by: z.literal('hand'), note: z.string() }),
  ]),
});
export type Winner = z.infer<typeof winnerSchema>;

/** What one source says of the time of a variant on a problem. */
export const quoteSchema = z.object({
  ns: z.number().positive(),
  /** Standard deviation of the time's logarithm: how far `ns` may be off, relative. */
  error: z.number().nonnegative(),
  /**
   * `measured`: a ranked result of this grid; `searched`: a time that a search found; `shipped`: a
   * choice of ours, measured; `predicted`: by the selector, from other shapes.
   */
  source: z.enum(['measured', 'searched', 'shipped', 'predicted']),
});

/** The variant to run for a problem: of all quotes, the one with the least expected time. */
export const bestVariantSchema = z.object({
  problem: problemSchema,
  profile: profileSchema,
  /** What compiles the program. */
  engine: engineSchema,
  variant: variantSchema,
  address: z.string(),
  /**
   * Whose times were compared: those of the GPU itself, here or shipped; of its architecture; of its
   * vendor; of any GPU of this grid, where none is named. `tint`: none under the engine, and those
   * under Tint gave the order. `portable`: nobody's; a choice for plain WebGPU, across the devices that
   * were surveyed.
   */
  basis: z.enum(['device', 'architecture', 'vendor', 'any', 'tint', 'portable']),
  /** What to expect on the problem, and where that is from; null: nobody has timed it under the engine. */
  quote: quoteSchema
    .extend({
      rate: rateSchema,
      /** The name of the device that was timed, and under what. */
      device: z.string(),
      driver: z.string(),
      profile: profileSchema,
      measuredAt: date,
      /** Where memory bounds the problem: its rate, and the part that it is of the fastest copy's. */
      memory: z.object({ gigabytesPerSecond: z.number(), part: z.number() }).nullable(),
      /** The shape that was timed: the problem's, or the nearest that is known. */
      shape: z.string(),
      /** The result on this grid. */
      resultId: id.nullable(),
      /** That found it; null: it was not searched for, or is not known. */
      command: z.string().nullable(),
    })
    .nullable(),
  /** The three that follow. */
  others: z.array(quoteSchema.extend({ address: z.string() })),
  /** Where one variant for all was asked for: how near it comes to the best of each card. */
  one: z
    .object({
      /** Of the best that is expected of this problem there, at most 1; null: nobody has timed the GPU. */
      share: z.number().nullable(),
      /** Whether both times are of this very shape; otherwise the share is a prediction. */
      isTimed: z.boolean(),
      /** Of all problems and cards: the geometric mean, the least, how many are timed, how many there are. */
      mean: z.number(),
      worst: z.number(),
      timed: z.number().int(),
      shares: z.number().int(),
      /** The cards that it was learned from, and their vendors. */
      cards: z.array(z.string()),
      vendors: z.array(z.string()),
    })
    .optional(),
  /** Candidates that cannot run there, which were out before the comparison. */
  excluded: z.array(z.object({ reason: z.string(), variants: z.number().int().positive() })),
  /** The shader for the dtype and tunables, as this release writes it; null for host kernels. */
  wgsl: z.string().nullable(),
  needs: needsSchema.nullable(),
  /** The limits to request of the device, its buffers' included; null for host kernels. */
  limits: limitsSchema.nullable(),
  /** How to run the problem on a device that has WebGPU's least buffers; null: they are enough, or no split helps. */
  split: splitSchema.nullable(),
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
  /** The dispatches that run the problem, in order; empty for host kernels. */
  passes: z.array(
    z.object({
      entryPoint: z.string(),
      workgroups: z.tuple([z.number(), z.number(), z.number()]),
    }),
  ),
});
export type BestVariant = z.infer<typeof bestVariantSchema>;
