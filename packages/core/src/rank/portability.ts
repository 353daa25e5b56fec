import { group, max, min, rollup } from 'd3-array';
import { geometricMean } from './rank';

/** The best time of a variant on a device; all of one problem and profile. */
export interface VariantTime {
  readonly deviceKey: string;
  readonly address: string;
  /** The time it is placed by (headline.ts), above zero. */
  readonly placedNs: number;
}

/** How close a variant comes to the best of each device. */
export interface Portability {
  readonly address: string;
  /** Devices that have measured it. */
  readonly devices: number;
  /**
   * Geometric mean, over these devices, of the best time of any variant there divided by its
   * own: above 0 and at most 1, which means the best on every device.
   */
  readonly partOfBest: number;
  /** The device it suits least, and its part of the best there. */
  readonly worst: { readonly deviceKey: string; readonly partOfBest: number };
  /** Measured by at least half as many devices as the most widely measured variant. */
  readonly isWide: boolean;
}

/**
 * Portability of each variant, the one to ship first. A device that has not measured a variant
 * does not count in its mean. So that a variant tried on a single device cannot win, variants
 * that are not wide come last. Formula and reasons: docs/choose.md.
 */
export function portability(times: readonly VariantTime[]): Portability[] {
  const best = bestTimes(times);
  const byVariant = group(times, ({ address }) => address);
  const most = max(byVariant.values(), (ofVariant) => ofVariant.length) ?? 0;
  return [...byVariant]
    .map(([address, ofVariant]) => {
      const parts = ofVariant.map(({ deviceKey, placedNs }) => ({
        deviceKey,
        partOfBest: (best.get(deviceKey) ?? Number.NaN) / placedNs,
      }));
      return {
        address,
        devices: ofVariant.length,
        // The exponential of a mean of logarithms may round to slightly above 1.
        partOfBest: Math.min(1, geometricMean(parts.map((part) => part.partOfBest)) ?? Number.NaN),
        worst: parts.reduce((a, b) => (b.partOfBest < a.partOfBest ? b : a)),
        isWide: 2 * ofVariant.length >= most,
      };
    })
    .toSorted(
      (a, b) =>
        Number(b.isWide) - Number(a.isWide) ||
        b.partOfBest - a.partOfBest ||
        b.devices - a.devices ||
        a.address.localeCompare(b.address),
    );
}

/** The shortest time of any variant on each device, ns. */
const bestTimes = (times: readonly VariantTime[]): ReadonlyMap<string, number> =>
  rollup(
    times,
    (ofDevice) => min(ofDevice, ({ placedNs }) => placedNs) ?? Number.NaN,
    ({ deviceKey }) => deviceKey,
  );
