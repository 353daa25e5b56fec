import { z } from 'zod';
import { deviceClassSchema } from '../device';
import { deviceRefSchema } from './device';
import { id } from './field';
import { leaderboardSchema } from './leaderboard';
import { rateSchema } from './rate';

/** The best variant of one kernel on one device. */
export const heatMapCellSchema = z.object({
  kernel: z.string(),
  address: z.string(),
  resultId: id,
  medianNs: z.number(),
  rate: rateSchema,
  /** The best time of any kernel on the device over this one; null where only that one is ranked. */
  partOfBest: z.number().nullable(),
  /** Why it is not ranked; null when it is. */
  unranked: z.string().nullable(),
});
export type HeatMapCell = z.infer<typeof heatMapCellSchema>;

/** Devices x kernels on one problem: where each kernel stands on each device. */
export const heatMapSchema = leaderboardSchema.omit({ rows: true }).extend({
  /** Of the devices shown. */
  groups: z.array(deviceClassSchema),
  /** That were measured on a device shown, in the order of the ladder. */
  kernels: z.array(z.string()),
  /** A kernel that a device has not measured has no cell. */
  rows: z.array(z.object({ device: deviceRefSchema, cells: z.array(heatMapCellSchema) })),
});
export type HeatMap = z.infer<typeof heatMapSchema>;
