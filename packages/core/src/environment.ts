import { z } from 'zod';
import { deviceCapabilitiesSchema, deviceIdentitySchema, profileSchema } from './device';

/**
 * Everything that could change a number. Stored once per distinct content
 * hash; holds nothing that changes from run to run (clocks are the run's).
 */
export const environmentSchema = z.object({
  device: deviceIdentitySchema,
  capabilities: deviceCapabilitiesSchema,
  profile: profileSchema,
  driver: z.string(),
  toggles: z.object({ enabled: z.array(z.string()), disabled: z.array(z.string()) }),
  runtimeVersions: z.record(z.string(), z.string()),
  os: z.string(),
  cpu: z.object({ model: z.string(), cores: z.number().int().positive() }),
  memoryBytes: z.number().int().positive(),
  tilemarkVersion: z.string(),
});
export type Environment = z.infer<typeof environmentSchema>;
