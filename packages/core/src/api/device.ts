import { z } from 'zod';
import { deviceCapabilitiesSchema, deviceClassSchema, deviceIdentitySchema } from '../device';
import { date } from './field';

export const deviceRefSchema = z.object({
  key: z.string(),
  name: z.string(),
  class: deviceClassSchema,
});
export type DeviceRef = z.infer<typeof deviceRefSchema>;

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
