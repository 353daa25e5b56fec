import { z } from 'zod';
import { deviceClassSchema } from '../device';
import { deviceRefSchema } from './device';
import { id } from './field';
import { groupedQuerySchema, leaderboardSchema } from './leaderboard';

export const portabilityQuerySchema = groupedQuerySchema.extend({
  /** Address of the variant to ship everywhere; absent: the most portable one. */
  ship: z.string().max(400).optional(),
});
export type PortabilityQuery = z.infer<typeof portabilityQuerySchema>;

const measuredVariant = z.object({ address: z.string(), resultId: id, medianNs: z.number() });
const part = z.number().min(0).max(1);

/** How near each variant comes to the best of every device, by ranked results of one problem. */
export const portabilitySchema = leaderboardSchema.omit({ rows: true }).extend({
  /** Of the devices shown. */
  groups: z.array(deviceClassSchema),
  /** Devices of the groups shown that have a ranked result. */
  devices: z.number().int(),
  /** The one to ship first; see docs/ranking.md. */
  variants: z.array(
    z.object({
      address: z.string(),
      devices: z.number().int().positive(),
      partOfBest: part,
      worst: z.object({ device: deviceRefSchema, partOfBest: part }),
      isWide: z.boolean(),
    }),
  ),
  /** What it costs each device to run one variant everywhere; null where nothing is ranked. */
  shipping: z
    .object({
      address: z.string(),
      devices: z.array(
        z.object({
          device: deviceRefSchema,
          best: measuredVariant,
          /** Null where the device has not measured it. */
          shipped: measuredVariant.extend({ partOfBest: part }).nullable(),
        }),
      ),
    })
    .nullable(),
});
export type PortabilityReport = z.infer<typeof portabilitySchema>;
