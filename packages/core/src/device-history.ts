import type { Problem } from '@tilemark/kernels';
import type { Profile } from './device';

/** What changes under a device over time. */
export interface SoftwareVersion {
  readonly driver: string;
  /** Of the package that holds Dawn; null where none ran the shader. */
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
  /** Of the device's best variants; empty where there are not two versions. */
  readonly variants: readonly VariantHistory[];
}
