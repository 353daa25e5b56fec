import type { Problem } from '@tilemark/kernels';
import { z } from 'zod';
import {
  deviceCapabilitiesSchema,
  deviceClassSchema,
  deviceIdentitySchema,
  type Profile,
  profileSchema,
} from '../measure/device';
import { rooflineSurveySchema } from '../measure/roofline';
import { line, word } from '../schema/maxima';
import { date, id } from './answer';

/** What an admin calls a device: `laptop`. */
export const deviceLabel = z.string().trim().min(1).max(60);

export const deviceRefSchema = z.object({
  key: line,
  name: line,
  class: deviceClassSchema,
  /** What runs its shaders, as in its identity; absent in files of results. */
  runtime: word.optional(),
  label: deviceLabel.optional(),
});
export type DeviceRef = z.infer<typeof deviceRefSchema>;

export const deviceSchema = deviceRefSchema.extend({
  identity: deviceIdentitySchema,
  /** What its key begins with, as do those of the same hardware under other runtimes. */
  hardware: line,
  /** What compiles its shaders: `tint`, `naga`, `webkit`; null on the host. */
  engine: word.nullable(),
  capabilities: deviceCapabilitiesSchema,
  workers: z.number().int(),
  /** Runs waiting for this device. */
  pending: z.number().int(),
  /** Runs that were measured, so right. */
  results: z.number().int(),
  /** No worker of this grid has served it: then the two dates are those of its first import. */
  isImportedOnly: z.boolean(),
  firstSeenAt: date,
  lastSeenAt: date,
});
export type Device = z.infer<typeof deviceSchema>;

/** The most a device can do under a profile, as a worker measured it. */
export const rooflineSchema = rooflineSurveySchema.extend({
  profile: profileSchema,
  measuredAt: date,
  worker: z.object({ id, name: z.string() }),
});
export type RooflineRecord = z.infer<typeof rooflineSchema>;

/** The fastest result of a variant under one version of the software of a device. */
export interface VersionResult {
  readonly driver: string;
  /** Version of the package that contains Dawn; null if Dawn did not run the shader. */
  readonly webgpu: string | null;
  readonly resultId: string;
  readonly medianNs: number;
  readonly lowNs: number;
  readonly highNs: number;
  /** Results under this version. */
  readonly count: number;
  /** When the first of them was measured. */
  readonly since: string;
}

/** A variant on a problem under every version it was measured with, oldest first. */
export interface VariantHistory {
  readonly problem: Problem;
  readonly profile: Profile;
  readonly address: string;
  readonly versions: readonly VersionResult[];
}
