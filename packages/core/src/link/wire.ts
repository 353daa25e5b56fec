import { z } from 'zod';
import { date, id } from '../api/answer';
import { softwareSchema } from '../api/change';
import { runClaimSchema } from '../api/run';
import { wantedStateSchema } from '../api/worker';
import { deviceCapabilitiesSchema, deviceIdentitySchema, profileSchema } from '../measure/device';
import { rooflineSurveySchema } from '../measure/roofline';
import { MAXIMA } from '../schema/maxima';

/**
 * The version of the protocol between workers over http and sites. It goes up when one of them would
 * misunderstand the other, not with each release; a field that may be absent does not count.
 */
export const PROTOCOL = 2;
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

export const nextAnswerSchema = z.object({ run: runClaimSchema.nullable() });

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

/** Not `recorded`: it has ended already, by this outcome or another. */
export const outcomeAnswerSchema = z.object({ recorded: z.boolean() });

export const rooflineRequestSchema = z.object({
  profile: profileSchema,
  survey: rooflineSurveySchema,
});
