import type { Engine } from '@tilemark/kernels';
import type { RunSpec } from '../api/run';
import type { DeviceClass } from '../measure/device';

/** The facts that an outcome is held against, beside the roof. */
export interface GateBasis extends Pick<RunSpec, 'variant' | 'problem' | 'policy'> {
  readonly deviceClass: DeviceClass;
  /** What compiled it; absent or null: as for Tint. */
  readonly engine?: Engine | null;
  /** The seed that its proof has to name; null: it may name any. */
  readonly seed: number | null;
  /** The shader that ran, null for host kernels; undefined: not stated, as files do not. */
  readonly wgsl: string | null | undefined;
}
