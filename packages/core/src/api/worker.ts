import { z } from 'zod';
import { deviceCapabilitiesSchema, deviceIdentitySchema } from '../device';
import { dtypeSchema } from '../spec';
import { deviceRefSchema } from './device';
import { date, id } from './field';

/** What an admin wants of a worker, which follows within seconds. */
export const wantedStateSchema = z.enum(['working', 'drained', 'paused']);
export type WantedState = z.infer<typeof wantedStateSchema>;

export const workerSchema = z.object({
  id,
  name: z.string(),
  host: z.string(),
  version: z.string(),
  device: deviceRefSchema,
  state: z.enum(['idle', 'running', 'draining', 'paused', 'lost']),
  /** `drained`: takes no run after the one in hand; `paused`: gives that one back too. */
  wanted: wantedStateSchema,
  /** The run in hand. */
  run: z
    .object({
      id,
      address: z.string(),
      /** `512`, `512x256x128` (MxNxK), `3072x4096` (RxC). */
      shape: z.string(),
      dtype: dtypeSchema,
      sweep: z.object({ id, name: z.string() }),
    })
    .nullable(),
  /** Runs that ended here within the last hour, and how many of them failed. */
  lastHour: z.object({ ended: z.number().int(), failed: z.number().int() }),
  /**
   * For admins, the name of the token that it enrolled with; null: it runs on the grid's own
   * accounts. Null for everybody else.
   */
  token: z.string().nullable(),
  lastHeartbeatAt: date,
  attachedAt: date,
});
export type Worker = z.infer<typeof workerSchema>;

/** What a worker says of itself when it enrols. */
export const enrolmentRequestSchema = z.object({
  /** Has to be the grid's own. */
  version: z.string().min(1).max(40),
  name: z.string().min(1).max(300),
  host: z.string().min(1).max(120),
  /** What the process calls itself, the same after each restart: it takes over its row. */
  instance: z.uuid(),
  identity: deviceIdentitySchema,
  capabilities: deviceCapabilitiesSchema,
  /** Its clock. */
  at: date,
});
export type EnrolmentRequest = z.infer<typeof enrolmentRequestSchema>;

/** What a worker connects to, with accounts of its own. Their passwords are nowhere else. */
export const enrolmentSchema = z.object({
  workerId: id,
  deviceKey: z.string(),
  databaseUrl: z.string(),
  /** Null: the queue is kept in Postgres. */
  redisUrl: z.string().nullable(),
  /** How far its clock is ahead of the grid's. */
  clockAheadMs: z.number(),
});
export type Enrolment = z.infer<typeof enrolmentSchema>;

/** What waits for a device, and who serves it. */
export const deviceQueueSchema = z.object({
  device: deviceRefSchema,
  /** Attached workers, those an admin has drained or paused included. */
  workers: z.number().int(),
  /** Those that take runs. */
  serving: z.number().int(),
  /** Runs that wait. */
  waiting: z.number().int(),
  /** Until the last of them has ended, by what runs took in the last hour; null where none did. */
  etaMs: z.number().nullable(),
});
export type DeviceQueue = z.infer<typeof deviceQueueSchema>;
