import type { Measurement } from '@tilemark/core';

export { arithmeticIntensity } from '@tilemark/kernels';

/** A result against what its device can do at most. */
export interface RoofShare {
  /** Roof time over median: 1 is all that the device allows. */
  readonly share: number;
  /** What the device runs out of first on this problem. */
  readonly bound: 'compute' | 'bandwidth';
}

/** How near a time came to its roof; null where none was probed for the run. */
export const roofShare = (roof: Measurement['roof'], medianNs: number): RoofShare | null =>
  roof ? { share: roof.ns / medianNs, bound: roof.bound } : null;
