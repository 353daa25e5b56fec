import { z } from 'zod';
import { deviceIdentitySchema, profileSchema } from '../device';
import { problemSchema } from '../spec';

/** The fastest variant known of a problem on a device, and how it is known. */
export const tunedVariantSchema = z.strictObject({
  problem: problemSchema,
  profile: profileSchema,
  /** `matmul/tiled[TILE=16,...]`; tunables that it leaves out have their defaults. */
  address: z.string().max(400),
  /** Cold median and its 95% interval, ns. */
  medianNs: z.number().positive(),
  lowNs: z.number().positive(),
  highNs: z.number().positive(),
  measuredAt: z.iso.datetime(),
  /** Why the measurement would not be ranked; null when it would. */
  unranked: z.string().nullable(),
  /** What it was measured under, which other entries of the file need not share. */
  driver: z.string(),
  runtimeVersions: z.record(z.string(), z.string()),
  found: z.discriminatedUnion('by', [
    /** By `tilemark tune`, from a cold start. */
    z.strictObject({ by: z.literal('tuner'), command: z.string(), tried: z.number().int() }),
    /** By a person who screened variants, as `note` tells. */
    z.strictObject({ by: z.literal('hand'), note: z.string() }),
  ]),
});
export type TunedVariant = z.infer<typeof tunedVariantSchema>;

/** What is known of one device. `tilemark tune --save` writes and updates such files. */
export const tunedFileSchema = z.strictObject({
  device: deviceIdentitySchema,
  variants: z.array(tunedVariantSchema),
});
export type TunedFile = z.infer<typeof tunedFileSchema>;
