import { z } from 'zod';
import { type DeviceClass, deviceClassSchema, profileSchema } from '../device';
import { measurementSchema } from '../outcome';
import { problemSchema, variantSchema } from '../spec';
import { deviceRefSchema } from './device';
import { date, id } from './field';
import { rateSchema } from './rate';
import { importedSchema } from './result';

export const leaderboardQuerySchema = z.object({
  op: z.enum(['matmul', 'transpose']).default('matmul'),
  dtype: z.enum(['f32', 'i32', 'f16']).default('f32'),
  /** `MxNxK`, `RxC`, or one number for a square; absent: the problem most devices have. */
  shape: z.string().max(40).optional(),
  profile: profileSchema.default('default'),
});
export type LeaderboardQuery = z.infer<typeof leaderboardQuerySchema>;

/** Classes of device, written `gpu,software`. */
const groupsSchema = z
  .string()
  .max(80)
  .transform((text) => text.split(','))
  .pipe(z.array(deviceClassSchema));

/** The views over every variant compare devices of the groups that are asked for. */
export const groupedQuerySchema = leaderboardQuerySchema.extend({
  /** Absent: GPUs, or every group where no GPU has measured the problem. */
  groups: groupsSchema.optional(),
});
export type GroupedQuery = z.infer<typeof groupedQuerySchema>;

/** The groups that are shown: those asked for, else GPUs, else all that there are. */
export function shownGroups(
  asked: readonly DeviceClass[] | undefined,
  present: readonly DeviceClass[],
): readonly DeviceClass[] {
  return asked ?? (present.includes('gpu') ? ['gpu'] : DEVICE_GROUPS);
}

/** In the order in which groups are listed. */
export const DEVICE_GROUPS: readonly DeviceClass[] = ['gpu', 'browser', 'software', 'cpu'];

export const leaderboardRowSchema = z.object({
  /** Shared by rows whose intervals overlap; null for results that are not ranked. */
  rank: z.number().int().positive().nullable(),
  device: deviceRefSchema,
  /** Machines of this device that have handed in results; files count by their host. */
  machines: z.number().int(),
  resultId: id,
  address: z.string(),
  variant: variantSchema,
  medianNs: z.number(),
  lowNs: z.number(),
  highNs: z.number(),
  rate: rateSchema,
  /** Over the op's naive kernel on the same device and problem; null where that was not measured. */
  speedupOverNaive: z.number().nullable(),
  /** As in the measurement; null or absent where the device has no probes. */
  roof: measurementSchema.shape.roof,
  /** Why the row has no rank (noisy, throttled, smoke policy, ...); null when ranked. */
  unranked: z.string().nullable(),
  measuredAt: date,
  /** Null or absent for what a worker of this grid measured. */
  imported: importedSchema.nullish(),
});
export type LeaderboardRow = z.infer<typeof leaderboardRowSchema>;

export const leaderboardSchema = z.object({
  problem: problemSchema.nullable(),
  profile: profileSchema,
  /** Other problems that have results, most devices first: what the shape filter offers. */
  problems: z.array(z.object({ problem: problemSchema, devices: z.number().int() })),
  rows: z.array(leaderboardRowSchema),
});
export type Leaderboard = z.infer<typeof leaderboardSchema>;
