import { z } from 'zod';
import { kernelFileSchema } from '../contributed/manifest';
import {
  deviceCapabilitiesSchema,
  deviceIdentitySchema,
  environmentSchema,
  profileSchema,
} from '../measure/device';
import { outcomeSchema } from '../measure/outcome';
import { policyIdSchema } from '../measure/policy';
import { rooflineSurveySchema } from '../measure/roofline';
import { seedSchema } from '../measure/seed';
import { problemSchema, variantSchema } from '../plan/spec';
import { MAXIMA, source } from '../schema/maxima';
import { softwareSchema } from '../view/alarm';
import { date, id } from '../view/answer';
import { wantedStateSchema } from '../view/worker';

/**
 * What workers over http and sites agree on. It goes up when one of them would misunderstand the
 * other, not with each release; a field that may be absent does not count.
 */
export const PROTOCOL = 1;
/** Sent with every request of a worker. */
export const PROTOCOL_HEADER = 'tilemark-protocol';

/** The next run is waited for this long; less than proxies wait for an answer, ms. */
export const POLL_MS = 20_000;

export const attachRequestSchema = z.object({
  version: z.string().min(1).max(40),
  name: z.string().min(1).max(300),
  host: z.string().min(1).max(120),
  /** Identifies the process across restarts: it takes over its row. */
  instance: z.uuid(),
  identity: deviceIdentitySchema,
  capabilities: deviceCapabilitiesSchema,
  /** It runs contributed kernels; absent: it does not. */
  contributed: z.boolean().optional(),
  /** What may have changed since it was here last; absent: it does not tell. */
  software: softwareSchema.optional(),
  /** Its clock. */
  at: date,
});
export type AttachRequest = z.infer<typeof attachRequestSchema>;

export const attachmentSchema = z.object({
  workerId: id,
  deviceKey: z.string(),
  /** How far the worker's clock is ahead of the grid's. */
  clockAheadMs: z.number(),
  /** When each profile's roofline was last measured. */
  rooflines: z.array(z.object({ profile: profileSchema, measuredAt: date })),
  /** Ids of the standard suites that began with this worker: its device is new. */
  suites: z.array(id),
});
export type Attachment = z.infer<typeof attachmentSchema>;

/** A run as its worker receives it. */
const claimedRunSchema = z.object({
  id,
  deviceKey: z.string(),
  variant: variantSchema,
  problem: problemSchema,
  profile: profileSchema,
  policy: policyIdSchema,
  /** 1 the first time; n: n - 1 workers were lost while running it. */
  attempt: z.number().int(),
  /** Drawn when it was claimed first (measure/seed.ts). */
  seed: seedSchema,
  /**
   * Runs of one occasion have a process that began with the first of them, so that two occasions are
   * two invocations; absent: any process will do.
   */
  occasion: id.optional(),
  /** Of a contributed kernel: its file and, if it is not to be run, why. */
  contributed: z.object({ file: kernelFileSchema, refusal: z.string().nullable() }).optional(),
  /** The variant that it takes turns with once it is measured, likewise; absent: none. */
  rival: z
    .object({
      variant: variantSchema,
      file: kernelFileSchema.optional(),
      refusal: z.string().nullable(),
    })
    .optional(),
});
export type ClaimedRun = Readonly<z.infer<typeof claimedRunSchema>>;

export const nextAnswerSchema = z.object({ run: claimedRunSchema.nullable() });

const workingStateSchema = z.enum(['idle', 'running', 'draining', 'paused']);
export type WorkingState = z.infer<typeof workingStateSchema>;

export const heartbeatSchema = z.object({
  state: workingStateSchema,
  runs: z.array(id).max(MAXIMA.runsInHand),
});
export const ordersSchema = z.object({
  wanted: wantedStateSchema,
  /** Those of its runs that are no longer its own, or were cancelled: it stops measuring them. */
  lost: z.array(id),
});
export type Orders = z.infer<typeof ordersSchema>;

/** What a worker measured, as it was told to: checked against the run. */
const measuredRunSchema = claimedRunSchema.pick({
  variant: true,
  problem: true,
  profile: true,
  policy: true,
});

export const outcomeRequestSchema = z.object({
  /** Absent in journals of versions before the protocol. */
  run: measuredRunSchema.optional(),
  environment: environmentSchema,
  /** The specialised source; null for host kernels. */
  wgsl: source.nullable(),
  outcome: outcomeSchema,
  /** When it had its turn on its machine; absent: a worker that does not tell. */
  beganAt: date.optional(),
  endedAt: date,
});

/** What a worker hands in; also a file of its journal. Writing it twice changes nothing. */
export type RecordedRun = Readonly<z.infer<typeof outcomeRequestSchema>> & {
  readonly runId: string;
  readonly workerId: string;
};

/** Not `recorded`: it has ended already, by this outcome or another. */
export const outcomeAnswerSchema = z.object({ recorded: z.boolean() });

export const rooflineRequestSchema = z.object({
  profile: profileSchema,
  survey: rooflineSurveySchema,
});
