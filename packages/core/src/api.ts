import { z } from 'zod';
import {
  deviceCapabilitiesSchema,
  deviceClassSchema,
  deviceIdentitySchema,
  profileSchema,
} from './device';
import { environmentSchema } from './environment';
import { measurementSchema, outcomeSchema } from './outcome';
import { policyIdSchema } from './policy';
import { rooflineSurveySchema } from './roofline-survey';
import {
  dtypeSchema,
  problemSchema,
  shapeSchema,
  specSchema,
  tunableValueSchema,
  variantSchema,
} from './spec';

/** The bodies of API v1: what routes answer, pages read and openapi.json describes. */

const date = z.iso.datetime();
const id = z.string().min(1).max(64);
const name = z.string().trim().min(1).max(120);

/** A list, and where to go on from; null at the end. */
export const pageOf = <T extends z.ZodType>(item: T) =>
  z.object({ items: z.array(item), nextCursor: z.string().nullable() });
export interface Page<T> {
  items: T[];
  nextCursor: string | null;
}

export const sweepStatusSchema = z.enum(['queued', 'running', 'done', 'cancelled']);
export const countsSchema = z.object({
  total: z.number().int(),
  pending: z.number().int(),
  measured: z.number().int(),
  skipped: z.number().int(),
  incorrect: z.number().int(),
  failed: z.number().int(),
});
export type Counts = z.infer<typeof countsSchema>;

export const newSweepSchema = z.union([
  z.strictObject({
    name,
    suite: z.string().max(80),
    params: z.record(z.string().max(40), z.number()).default({}),
    profiles: z.array(profileSchema).min(1).max(2).optional(),
    policy: policyIdSchema.optional(),
    devices: z.array(z.string().max(300)).min(1).max(200).optional(),
  }),
  z.strictObject({ name, spec: specSchema }),
]);
export type NewSweep = z.infer<typeof newSweepSchema>;

export const sweepCreatedSchema = z.object({ id, counts: countsSchema });

export const sweepSchema = z.object({
  id,
  name,
  /** `suite@version`, or null for one built by hand. */
  suite: z.string().nullable(),
  status: sweepStatusSchema,
  counts: countsSchema,
  spec: specSchema,
  createdAt: date,
  finishedAt: date.nullable(),
  createdBy: z.string(),
  /** The token it was made with, which may cancel it; null for the grid's own. */
  createdById: z.string().nullable(),
});
export type Sweep = z.infer<typeof sweepSchema>;

export const deviceRefSchema = z.object({
  key: z.string(),
  name: z.string(),
  class: deviceClassSchema,
});
export type DeviceRef = z.infer<typeof deviceRefSchema>;

/** Work over time as the op counts it; higher is better. */
export const rateSchema = z.object({ value: z.number(), unit: z.enum(['GFLOP/s', 'GB/s']) });

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
});
export type ResultDetail = z.infer<typeof resultDetailSchema>;

export const workerSchema = z.object({
  id,
  name: z.string(),
  host: z.string(),
  version: z.string(),
  device: deviceRefSchema,
  state: z.enum(['idle', 'running', 'draining', 'lost']),
  lastHeartbeatAt: date,
  attachedAt: date,
});
export type Worker = z.infer<typeof workerSchema>;

export const deviceSchema = deviceRefSchema.extend({
  identity: deviceIdentitySchema,
  capabilities: deviceCapabilitiesSchema,
  workers: z.number().int(),
  /** Runs waiting for this device. */
  pending: z.number().int(),
  results: z.number().int(),
  firstSeenAt: date,
  lastSeenAt: date,
});
export type Device = z.infer<typeof deviceSchema>;

/** What a device can do at most under a profile, as a worker measured it. */
export const rooflineSchema = rooflineSurveySchema.extend({
  profile: profileSchema,
  measuredAt: date,
  worker: z.object({ id, name: z.string() }),
});
export type RooflineRecord = z.infer<typeof rooflineSchema>;

/** What a specialised kernel asks of a device. */
export const needsSchema = z.object({
  workgroupSize: z.tuple([z.number(), z.number(), z.number()]),
  /** Of workgroup memory. */
  workgroupBytes: z.number(),
  features: z.array(z.string()),
});
export type KernelNeeds = z.infer<typeof needsSchema>;

export const leaderboardQuerySchema = z.object({
  op: z.enum(['matmul', 'transpose']).default('matmul'),
  dtype: z.enum(['f32', 'i32', 'f16']).default('f32'),
  /** `MxNxK`, `RxC`, or one number for a square; absent: the problem most devices have. */
  shape: z.string().max(40).optional(),
  profile: profileSchema.default('default'),
});
export type LeaderboardQuery = z.infer<typeof leaderboardQuerySchema>;

export const leaderboardRowSchema = z.object({
  /** Shared by rows whose intervals overlap; null for results that are not ranked. */
  rank: z.number().int().positive().nullable(),
  device: deviceRefSchema,
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

const dimension = z.coerce.number().int().min(1).max(65_536).optional();

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
  /** Whose results decided: the first of these that has any for a problem like this. */
  fallback: z.enum(['device', 'architecture', 'vendor', 'overall']),
  /** The problem asked for. */
  asked: problemSchema,
  /** The problem that was measured: the asked one, or the nearest. */
  measured: problemSchema,
  isExact: z.boolean(),
  profile: profileSchema,
  variant: variantSchema,
  address: z.string(),
  /** Devices that have measured the variant on this problem. */
  devices: z.number().int().positive(),
  /** Geometric mean over them of its part of the best rate there; 1: the best on each. */
  partOfBest: z.number().min(0).max(1),
  /** The result on the device where it comes nearest to the best. */
  result: z.object({
    id,
    device: deviceRefSchema,
    medianNs: z.number().positive(),
    rate: rateSchema,
    measuredAt: date,
  }),
  /** The shader for the dtype and tunables, as this release writes it; null for host kernels. */
  wgsl: z.string().nullable(),
  /** Whether the result was measured with exactly this shader. */
  isSourceMeasured: z.boolean(),
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

/** A kernel of the registry, as data. */
export const kernelSchema = z.object({
  id: z.string(),
  op: z.enum(['matmul', 'transpose']),
  idea: z.string(),
  runsOn: z.enum(['gpu', 'cpu']),
  rung: z.number(),
  dtypes: z.array(dtypeSchema),
  tunables: z.array(
    z.object({
      name: z.string(),
      about: z.string(),
      values: z.array(tunableValueSchema),
      default: tunableValueSchema,
    }),
  ),
});
export type KernelInfo = z.infer<typeof kernelSchema>;

/** A kernel specialised for one dtype and one value of each tunable. */
export const kernelDetailSchema = kernelSchema.extend({
  address: z.string(),
  dtype: dtypeSchema,
  chosen: z.record(z.string(), tunableValueSchema),
  /** Reasons why the values make no sense together; a run of them ends skipped. */
  broken: z.array(z.string()),
  /** What a device must have; null for host kernels and where `broken`. */
  needs: needsSchema.nullable(),
  /** Null for host kernels and where `broken`. */
  wgsl: z.string().nullable(),
});
export type KernelDetail = z.infer<typeof kernelDetailSchema>;

/** A named, versioned sweep kept in code. */
export const suiteSchema = z.object({
  id: z.string(),
  version: z.number().int().positive(),
  title: z.string(),
  about: z.string(),
  params: z.array(
    z.object({
      name: z.string(),
      about: z.string(),
      default: z.number(),
      min: z.number(),
      max: z.number(),
    }),
  ),
});
export type SuiteInfo = z.infer<typeof suiteSchema>;

const hardware = z.object({ gpu: z.string().nullable(), cpu: z.string().nullable() });
const percent = z.number().min(0).max(100);

/** One figure of a report. */
export const publishedFigureSchema = z.object({
  /** What the report calls the variant. */
  label: z.string(),
  runtime: z.enum(['cuda', 'cpu']),
  variant: variantSchema,
  address: z.string(),
  problem: problemSchema,
  timeMs: z.number().positive(),
  /** GFLOP/s or GB/s, counted as ours are. */
  rate: rateSchema,
  note: z.string().nullable(),
});
export type PublishedFigure = z.infer<typeof publishedFigureSchema>;

/** Figures of a report that a suite reproduces: shown beside ours, never ranked with them. */
export const publishedSchema = z.object({
  suite: z.string(),
  source: z.object({
    id: z.string(),
    title: z.string(),
    language: z.string(),
    date: z.iso.date().nullable(),
    note: z.string().nullable(),
  }),
  /** Null where the source does not say. */
  hardware,
  results: z.array(publishedFigureSchema),
  transfers: z.array(
    z.object({
      shape: shapeSchema,
      hostToDeviceMs: z.number().positive(),
      deviceToHostMs: z.number().positive(),
    }),
  ),
  /** What the report's profiler said, in percent of the hardware's peak. */
  profiles: z.array(
    z.object({
      label: z.string(),
      block: z.number().int().nullable(),
      computeThroughputPercent: percent,
      memoryThroughputPercent: percent,
      l1Percent: percent,
      l2Percent: percent,
      dramPercent: percent,
      durationMs: z.number().positive(),
      occupancy: z
        .object({
          theoreticalPercent: percent,
          achievedPercent: percent,
          theoreticalWarpsPerMultiprocessor: z.number().int().positive(),
        })
        .nullable(),
    }),
  ),
});
export type Published = z.infer<typeof publishedSchema>;

export const healthSchema = z.object({
  status: z.enum(['ok', 'degraded']),
  version: z.string(),
  database: z.enum(['up', 'down']),
  queue: z.object({ backend: z.enum(['redis', 'postgres']), state: z.enum(['up', 'down']) }),
});

/** RFC 9457. `field` names what is at fault in the request. */
export const problemDetailsSchema = z.object({
  type: z.string(),
  title: z.string(),
  status: z.number().int(),
  detail: z.string(),
  field: z.string().optional(),
});
export type ProblemDetails = z.infer<typeof problemDetailsSchema>;

/** Sent over `sweeps/:id/events`. */
export const sweepEventSchema = z.object({
  counts: countsSchema,
  status: sweepStatusSchema,
  /** Results recorded since the last event. */
  results: z.array(runResultSchema),
});
export type SweepEvent = z.infer<typeof sweepEventSchema>;

/** What `tilemark bench --json` writes and `results/import` takes. */
export const benchFileSchema = z.object({
  version: z.literal(1),
  /** Of the first device and profile. */
  environment: environmentSchema,
  /** Of the others, where there are several; a result's is the one with its device and profile. */
  environments: z.array(environmentSchema).default([]),
  results: z.array(runResultSchema),
});
export type BenchFile = z.infer<typeof benchFileSchema>;
