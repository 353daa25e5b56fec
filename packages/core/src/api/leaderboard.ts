import type { Problem } from '@tilemark/kernels';
import { z } from 'zod';
import { type DeviceClass, deviceClassSchema, profileSchema } from '../measure/device';
import { type Measurement, measurementSchema } from '../measure/outcome';
import { problemSchema, variantSchema } from '../plan/spec';
import { dtypeSchema, opSchema } from '../schema/op';
import { date, id, rateSchema } from './answer';
import { deviceRefSchema } from './device';
import { DATA_LICENCE } from './licence';
import { type MetricId, metricsOf, readMetrics } from './metrics';
import { importedSchema } from './result';

export const leaderboardQuerySchema = z.object({
  op: opSchema.default('matmul'),
  dtype: dtypeSchema.default('f32'),
  /** `MxNxK`, `BxMxNxK`, `RxC`, or one number for a square; absent: the largest square most GPUs have. */
  shape: z.string().max(40).optional(),
  profile: profileSchema.default('default'),
  /** Published kernels of contributors, ranked among themselves, after ours; absent: left out. */
  contributed: z.literal('apart').optional(),
});
export type LeaderboardQuery = z.infer<typeof leaderboardQuerySchema>;

/** Classes of device, written `gpu,software`. */
const groupsSchema = z
  .string()
  .max(80)
  .transform((text) => text.split(/[,;]/))
  .pipe(z.array(deviceClassSchema));

/** The portability of variants is that over devices of the requested groups. */
export const groupedQuerySchema = leaderboardQuerySchema.omit({ contributed: true }).extend({
  /** Absent: GPUs, or every group if no GPU has measured the problem. */
  groups: groupsSchema.optional(),
});
export type GroupedQuery = z.infer<typeof groupedQuerySchema>;

/** The groups to show: those asked for, else GPUs, else all. */
export function shownGroups(
  asked: readonly DeviceClass[] | undefined,
  present: readonly DeviceClass[],
): readonly DeviceClass[] {
  return asked ?? (present.includes('gpu') ? ['gpu'] : DEVICE_GROUPS);
}

/** The groups of devices, in the order in which they are listed. */
export const DEVICE_GROUPS: readonly DeviceClass[] = ['gpu', 'browser', 'software', 'cpu'];

const leaderboardRowSchema = z.object({
  /** Shared by rows whose intervals overlap; null for results that are not ranked. */
  rank: z.number().int().positive().nullable(),
  device: deviceRefSchema,
  /** Machines whose median of the variant agrees within 2%. */
  machines: z.number().int(),
  resultId: id,
  address: z.string(),
  variant: variantSchema,
  medianNs: z.number(),
  lowNs: z.number(),
  highNs: z.number(),
  /** The two ends are the range of too few samples for a 95% interval. */
  isRange: z.boolean(),
  /** Separate processes of which `medianNs` is the median. */
  invocations: z.number().int().positive(),
  rate: rateSchema,
  /** Over the op's naive kernel on the same device and problem; null if that was not measured. */
  speedupOverNaive: z.number().nullable(),
  /** As in the measurement; null or absent if the device has no probes. */
  roof: measurementSchema.shape.roof,
  /** Metrics of the board that have no field of their own, by id; absent where there are none. */
  figures: z.record(z.string(), z.union([z.number(), z.string()]).nullable()).optional(),
  /** Why the row has no rank (throttled, smoke policy, ...); null when ranked. */
  unranked: z.string().nullable(),
  /** Who contributed the kernel; null or absent for one of ours. */
  author: z.string().nullish(),
  /** As people call it; empty where it has no name. */
  driver: z.string(),
  measuredAt: date,
  /** Null or absent for what a worker of this grid measured. */
  imported: importedSchema.nullish(),
});
export type LeaderboardRow = z.infer<typeof leaderboardRowSchema>;

export const leaderboardSchema = z.object({
  problem: problemSchema.nullable(),
  profile: profileSchema,
  licence: z.literal(DATA_LICENCE),
  /** Of the results shown: the newest that the problem has; versions are never mixed. */
  methodology: z.number().int(),
  /** Problems that have results, most devices first: what the shape filter offers. */
  problems: z.array(
    z.object({
      problem: problemSchema,
      devices: z.number().int(),
      /** Of these, GPUs. */
      gpus: z.number().int(),
    }),
  ),
  rows: z.array(leaderboardRowSchema),
});
export type Leaderboard = z.infer<typeof leaderboardSchema>;

const part = z.number().min(0).max(1);

/** How close each variant comes to the best of every device, by ranked results of one problem. */
export const portabilitySchema = leaderboardSchema.omit({ rows: true }).extend({
  /** Of the devices shown. */
  groups: z.array(deviceClassSchema),
  /** Devices of the groups shown that have such a result. */
  devices: z.number().int(),
  /** The one to ship first; see docs/choose.md. */
  variants: z.array(
    z.object({
      address: z.string(),
      devices: z.number().int().positive(),
      partOfBest: part,
      worst: z.object({ device: deviceRefSchema, partOfBest: part }),
      isWide: z.boolean(),
    }),
  ),
});
export type PortabilityReport = z.infer<typeof portabilitySchema>;

/** Metrics of the board that its rows have as fields of their own. */
const BOARD_FIELDS = ['medianNs', 'lowNs', 'highNs', 'rate', 'roofShare', 'roofBound'] as const;

const BESIDE_FIELDS = metricsOf('board', BOARD_FIELDS);

/** The other figures of a row of the API; nothing where there are none. */
export const rowFigures = (
  measurement: Measurement,
  problem: Problem,
): Pick<LeaderboardRow, 'figures'> =>
  BESIDE_FIELDS.length > 0 ? { figures: readMetrics(BESIDE_FIELDS, measurement, problem) } : {};

/** All metrics of a row of the board, by id. */
export const boardFigures = (
  row: LeaderboardRow,
): Readonly<Partial<Record<MetricId, number | string | null>>> => ({
  ...row.figures,
  medianNs: row.medianNs,
  lowNs: row.lowNs,
  highNs: row.highNs,
  rate: row.rate.value,
  roofShare: row.roof ? row.roof.ns / row.medianNs : null,
  roofBound: row.roof?.bound ?? null,
});
