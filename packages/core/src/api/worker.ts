import { z } from 'zod';
import { dtypeSchema } from '../schema/op';
import { date, id } from './answer';
import { deviceRefSchema } from './device';

/** The state an admin asks of a worker, which follows within seconds. */
export const wantedStateSchema = z.enum(['working', 'drained', 'paused']);
export type WantedState = z.infer<typeof wantedStateSchema>;

export const workerSchema = z.object({
  id,
  name: z.string(),
  host: z.string(),
  version: z.string(),
  device: deviceRefSchema,
  state: z.enum(['idle', 'running', 'draining', 'paused', 'lost']),
  /** `drained`: takes no run after the current one; `paused`: gives the current one back too. */
  wanted: wantedStateSchema,
  /** Null also while it measures a kernel that is not published. */
  run: z
    .object({
      id,
      address: z.string(),
      /** `512`, `512x256x128` (MxNxK), `8x512x256x128` (BxMxNxK), `3072x4096` (RxC). */
      shape: z.string(),
      dtype: dtypeSchema,
      sweep: z.object({ id, name: z.string() }),
    })
    .nullable(),
  /** Runs that ended here in the last hour, and how many of them failed. */
  lastHour: z.object({ ended: z.number().int(), failed: z.number().int() }),
  /**
   * For admins, the name of the token it attached with, or null if it uses the grid's own
   * account. Null for everyone else.
   */
  token: z.string().nullable(),
  /** Whether it runs kernels that people have contributed. */
  contributed: z.boolean(),
  lastHeartbeatAt: date,
  attachedAt: date,
});
export type Worker = z.infer<typeof workerSchema>;

/** The queue of a device, and the workers that serve it. */
export const deviceQueueSchema = z.object({
  device: deviceRefSchema,
  /** Attached workers, including drained and paused ones. */
  workers: z.number().int(),
  /** Those that take runs. */
  serving: z.number().int(),
  waiting: z.number().int(),
  /** Until the last of them ends, by the device's median run; null where it has none. */
  etaMs: z.number().nullable(),
});
export type DeviceQueue = z.infer<typeof deviceQueueSchema>;
