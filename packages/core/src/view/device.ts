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
import { line } from '../schema/maxima';
import { date, id } from './answer';

export const deviceRefSchema = z.object({
  key: line,
  name: line,
  class: deviceClassSchema,
});
export type DeviceRef = z.infer<typeof deviceRefSchema>;

export const deviceSchema = deviceRefSchema.extend({
  identity: deviceIdentitySchema,
  capabilities: deviceCapabilitiesSchema,
  workers: z.number().int(),
  /** Runs waiting for this device. */
  pending: z.number().int(),
  /** Runs that were measured, so proved correct. */
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

/** What changes under a device over time. */
export interface SoftwareVersion {
  readonly driver: string;
  /** Version of the package that contains Dawn; null if Dawn did not run the shader. */
  readonly webgpu: string | null;
}

/** The fastest result of a variant under one version. */
export interface VersionResult extends SoftwareVersion {
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

export interface DeviceHistory {
  readonly versions: readonly SoftwareVersion[];
  /** Of the device's best variants; empty with fewer than two versions. */
  readonly variants: readonly VariantHistory[];
}
