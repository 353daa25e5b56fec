import { z } from 'zod';
import { deviceRefSchema } from './device';
import { date, id } from './field';

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
