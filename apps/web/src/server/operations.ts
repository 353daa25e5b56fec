import {
  type AuditAction,
  auditActionSchema,
  auditEntrySchema,
  benchFileSchema,
  bestQuerySchema,
  bestVariantSchema,
  coverageSchema,
  deviceQueueSchema,
  deviceSchema,
  dtypeSchema,
  enrolmentRequestSchema,
  enrolmentSchema,
  groupedQuerySchema,
  healthSchema,
  heatMapSchema,
  kernelDetailSchema,
  kernelSchema,
  leaderboardQuerySchema,
  leaderboardSchema,
  newSweepSchema,
  pageOf,
  portabilityQuerySchema,
  portabilitySchema,
  publishedSchema,
  refreshedSchema,
  refreshSchema,
  resultDetailSchema,
  roleSchema,
  rooflineSchema,
  runResultSchema,
  suiteSchema,
  sweepCreatedSchema,
  sweepEventSchema,
  sweepSchema,
  tokenSchema,
  workerSchema,
} from '@tilemark/core';
import type { Limits } from '@tilemark/core/server';
import { z } from 'zod';
import type { Access } from './access';
import type { ProblemStatus } from './problem';

/** Where the answers of an operation may be kept. */
export type Caching =
  /** Changes with the grid: kept, and asked for again by its ETag. */
  | 'revalidate'
  /** Changes with the release only. */
  | 'release'
  | 'never';

/**
 * One operation of API v1: what routes check and openapi.json describes are
 * this one declaration.
 */
export interface Operation<
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
> {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** As OpenAPI writes it: `/sweeps/{id}`. */
  readonly path: string;
  readonly summary: string;
  readonly access: Access;
  readonly caching: Caching;
  readonly query?: Query;
  readonly body?: Body;
  /** The limit that it counts towards, by token. */
  readonly limit?: keyof Limits;
  /** What the audit list calls it; every operation that changes something has one. */
  readonly audit?: AuditAction;
  /** Larger bodies are refused; 1 MB unless said. */
  readonly maxBodyBytes?: number;
  /** When it is refused with these, beyond what access, path and body say. */
  readonly refusals?: Readonly<Partial<Record<ProblemStatus, string>>>;
  readonly answer: {
    readonly status: 200 | 201 | 204;
    readonly schema?: z.ZodType;
    /** Media types of the answer; JSON unless said. */
    readonly types?: readonly string[];
  };
}

const operation = <Query extends z.ZodType, Body extends z.ZodType>(
  declared: Operation<Query, Body>,
) => declared;

const cursorQuery = z.object({ cursor: z.string().min(1).max(500).optional() });
const formatQuery = { format: z.enum(['json', 'csv']).default('json') };
const TABLE_TYPES = ['application/json', 'text/csv'] as const;
const ok = (schema: z.ZodType) => ({ status: 200, schema }) as const;

export const newTokenSchema = z.strictObject({
  name: z.string().trim().min(1).max(80),
  role: roleSchema,
  /** Absent: it does not expire. */
  expiresAt: z.iso
    .datetime()
    .refine((time) => Date.parse(time) > Date.now(), 'This time is over already.')
    .optional(),
});

export const operations = {
  health: operation({
    method: 'GET',
    path: '/health',
    summary: 'Whether the server reaches its database and its queue; 503 where it does not.',
    access: 'open',
    caching: 'never',
    answer: ok(healthSchema),
  }),
  listDevices: operation({
    method: 'GET',
    path: '/devices',
    summary: 'Devices that have been attached, with their capabilities.',
    access: 'read',
    caching: 'revalidate',
    query: cursorQuery,
    answer: ok(pageOf(deviceSchema)),
  }),
  getDevice: operation({
    method: 'GET',
    path: '/devices/{key}',
    summary: 'A device, its rooflines, and the best measured result of each problem on it.',
    access: 'read',
    caching: 'revalidate',
    answer: ok(
      deviceSchema.extend({ best: z.array(runResultSchema), rooflines: z.array(rooflineSchema) }),
    ),
  }),
  listKernels: operation({
    method: 'GET',
    path: '/kernels',
    summary: 'The kernel registry: ideas, dtypes and tunables.',
    access: 'read',
    caching: 'release',
    answer: ok(pageOf(kernelSchema)),
  }),
  getKernel: operation({
    method: 'GET',
    path: '/kernels/{id}',
    summary:
      'A kernel specialised for a dtype and tunables, with its WGSL. Tunables are query parameters: `?TILE=16&dtype=f32`. The id holds a slash.',
    access: 'read',
    caching: 'release',
    query: z.looseObject({ dtype: dtypeSchema.optional() }),
    answer: ok(kernelDetailSchema),
  }),
  listSuites: operation({
    method: 'GET',
    path: '/suites',
    summary: 'Named, versioned sweeps and the parameters they take.',
    access: 'read',
    caching: 'release',
    answer: ok(pageOf(suiteSchema)),
  }),
  listPublished: operation({
    method: 'GET',
    path: '/published',
    summary:
      'Figures of the reports that suites reproduce, with their sources. They are not ours and never ranked.',
    access: 'read',
    caching: 'release',
    query: z.object({ suite: z.string().max(80).optional() }),
    answer: ok(pageOf(publishedSchema)),
  }),
  listSweeps: operation({
    method: 'GET',
    path: '/sweeps',
    summary: 'Sweeps, newest first.',
    access: 'read',
    caching: 'revalidate',
    query: cursorQuery,
    answer: ok(pageOf(sweepSchema)),
  }),
  createSweep: operation({
    method: 'POST',
    path: '/sweeps',
    summary: 'Expands a suite or a specification into runs and enqueues them.',
    access: 'submit',
    caching: 'never',
    limit: 'submit',
    audit: 'createSweep',
    body: newSweepSchema,
    answer: { status: 201, schema: sweepCreatedSchema },
  }),
  getSweep: operation({
    method: 'GET',
    path: '/sweeps/{id}',
    summary: 'A sweep, its specification and how far it is.',
    access: 'read',
    caching: 'revalidate',
    answer: ok(sweepSchema),
  }),
  getSweepResults: operation({
    method: 'GET',
    path: '/sweeps/{id}/results',
    summary:
      'The runs of a sweep. JSON comes in pages, or whole as a download with `all=1`; CSV is whole.',
    access: 'read',
    caching: 'revalidate',
    query: cursorQuery.extend({
      format: z.enum(['json', 'csv']).default('json'),
      all: z.literal('1').optional(),
    }),
    answer: {
      status: 200,
      schema: pageOf(runResultSchema),
      types: ['application/json', 'text/csv'],
    },
  }),
  watchSweep: operation({
    method: 'GET',
    path: '/sweeps/{id}/events',
    summary: 'Server-sent events: the counts and the results recorded since the last event.',
    access: 'read',
    caching: 'never',
    answer: { status: 200, schema: sweepEventSchema, types: ['text/event-stream'] },
  }),
  cancelSweep: operation({
    method: 'POST',
    path: '/sweeps/{id}/cancel',
    refusals: { 409: 'The sweep has ended already.' },
    summary: 'Ends a sweep; runs that have not begun are dropped.',
    access: 'submit',
    caching: 'never',
    audit: 'cancelSweep',
    answer: ok(sweepSchema),
  }),
  retrySweep: operation({
    method: 'POST',
    path: '/sweeps/{id}/retry',
    refusals: { 409: 'The sweep was cancelled.' },
    summary: 'Enqueues the failed runs of a sweep again.',
    access: 'submit',
    caching: 'never',
    limit: 'submit',
    audit: 'retrySweep',
    answer: ok(z.object({ retried: z.number().int() })),
  }),
  getResult: operation({
    method: 'GET',
    path: '/results/{id}',
    summary: 'A result with every sample, its environment and the WGSL that ran.',
    access: 'read',
    caching: 'revalidate',
    answer: ok(resultDetailSchema),
  }),
  importResults: operation({
    method: 'POST',
    path: '/results/import',
    summary: 'Keeps the results of `tilemark bench --json` as a finished sweep. At most 64 MB.',
    access: 'submit',
    caching: 'never',
    limit: 'submit',
    audit: 'importResults',
    body: benchFileSchema,
    maxBodyBytes: 64_000_000,
    answer: { status: 201, schema: sweepCreatedSchema },
  }),
  getLeaderboard: operation({
    method: 'GET',
    path: '/leaderboard',
    summary: 'The best verified result of each device on one problem, ranked.',
    access: 'read',
    caching: 'revalidate',
    query: leaderboardQuerySchema.extend(formatQuery),
    answer: { ...ok(leaderboardSchema), types: TABLE_TYPES },
  }),
  getHeatMap: operation({
    method: 'GET',
    path: '/leaderboard/heat-map',
    summary: 'The best of each kernel on each device, on one problem. `groups=gpu,software`.',
    access: 'read',
    caching: 'revalidate',
    query: groupedQuerySchema.extend(formatQuery),
    answer: { ...ok(heatMapSchema), types: TABLE_TYPES },
  }),
  getPortability: operation({
    method: 'GET',
    path: '/leaderboard/portability',
    summary:
      'For each variant the geometric mean of its part of the best over devices, and what it costs each device to run one variant everywhere (`ship`, an address).',
    access: 'read',
    caching: 'revalidate',
    query: portabilityQuerySchema.extend(formatQuery),
    answer: { ...ok(portabilitySchema), types: TABLE_TYPES },
  }),
  getBest: operation({
    method: 'GET',
    path: '/best',
    summary:
      'The variant to run for a problem (`m`, `n`, `k` or `rows`, `cols`) on a GPU, with its WGSL: decided by ranked results of the device, else of its architecture, its vendor, or all GPUs, on this problem or the nearest.',
    access: 'read',
    caching: 'revalidate',
    query: bestQuerySchema,
    refusals: { 404: 'No ranked result can say what to run.' },
    answer: ok(bestVariantSchema),
  }),
  listWorkers: operation({
    method: 'GET',
    path: '/workers',
    summary: 'Attached workers.',
    access: 'read',
    caching: 'revalidate',
    answer: ok(pageOf(workerSchema)),
  }),
  enrollWorker: operation({
    method: 'POST',
    path: '/workers/enroll',
    refusals: {
      409: "The worker is of another version than the grid (`field` is `version`), or the grid's own users in Postgres and Redis may not make accounts; `detail` says what to run.",
    },
    summary:
      'Attaches a worker and tells what it connects to, with accounts of its own; enrolling again replaces their passwords. Takes a worker or an admin token. 409 for a worker of another version, 403 for one that was revoked after its token was made.',
    access: 'enroll',
    caching: 'never',
    limit: 'enroll',
    audit: 'enrollWorker',
    body: enrolmentRequestSchema,
    answer: ok(enrolmentSchema),
  }),
  revokeWorker: operation({
    method: 'DELETE',
    path: '/workers/{id}',
    summary:
      'Revokes an enrolled worker: its accounts end, its run goes back to the queue, and only a token made later lets it in again.',
    access: 'admin',
    caching: 'never',
    audit: 'revokeWorker',
    answer: { status: 204 },
  }),
  drainWorker: operation({
    method: 'POST',
    path: '/workers/{id}/drain',
    summary: 'Lets a worker finish the run in hand and then pauses it.',
    access: 'admin',
    caching: 'never',
    audit: 'drainWorker',
    answer: ok(workerSchema),
  }),
  pauseWorker: operation({
    method: 'POST',
    path: '/workers/{id}/pause',
    summary: 'Pauses a worker; the run in hand is given back.',
    access: 'admin',
    caching: 'never',
    audit: 'pauseWorker',
    answer: ok(workerSchema),
  }),
  resumeWorker: operation({
    method: 'POST',
    path: '/workers/{id}/resume',
    summary: 'Lets a drained or paused worker take runs again.',
    access: 'admin',
    caching: 'never',
    audit: 'resumeWorker',
    answer: ok(workerSchema),
  }),
  getCoverage: operation({
    method: 'GET',
    path: '/coverage',
    summary: 'Devices against standing suites: runs that are done, running, stale, or never made.',
    access: 'read',
    caching: 'revalidate',
    answer: ok(coverageSchema),
  }),
  refreshCoverage: operation({
    method: 'POST',
    path: '/coverage/refresh',
    summary:
      'Queues again the runs whose kernel has another source today than when they were made.',
    access: 'admin',
    caching: 'never',
    audit: 'refreshCoverage',
    body: refreshSchema,
    answer: { status: 201, schema: refreshedSchema },
  }),
  listQueues: operation({
    method: 'GET',
    path: '/queues',
    summary: 'What waits for each device, who serves it, and when it will be done.',
    access: 'read',
    caching: 'revalidate',
    answer: ok(pageOf(deviceQueueSchema)),
  }),
  listTokens: operation({
    method: 'GET',
    path: '/tokens',
    summary: 'Tokens, newest first, without their secrets.',
    access: 'admin',
    caching: 'never',
    query: cursorQuery,
    answer: ok(pageOf(tokenSchema)),
  }),
  createToken: operation({
    method: 'POST',
    path: '/tokens',
    summary: 'Makes a token. Its secret is in this answer and nowhere else.',
    access: 'admin',
    caching: 'never',
    audit: 'createToken',
    body: newTokenSchema,
    answer: { status: 201, schema: z.object({ id: z.string(), secret: z.string() }) },
  }),
  revokeToken: operation({
    method: 'DELETE',
    path: '/tokens/{id}',
    summary: 'Revokes a token, every session it opened and every worker that enrolled with it.',
    access: 'admin',
    caching: 'never',
    audit: 'revokeToken',
    answer: { status: 204 },
  }),
  listAudit: operation({
    method: 'GET',
    path: '/audit',
    summary: 'Who did what, newest first.',
    access: 'admin',
    caching: 'never',
    query: cursorQuery.extend({
      action: auditActionSchema.optional(),
      /** Id of a token. */
      actor: z.string().max(64).optional(),
    }),
    answer: ok(pageOf(auditEntrySchema)),
  }),
  describe: operation({
    method: 'GET',
    path: '/openapi.json',
    summary: 'This description.',
    access: 'open',
    caching: 'release',
    answer: ok(z.looseObject({ openapi: z.string() })),
  }),
} as const;
