import { geometricMean } from './rank';

/** The best time of a variant on a device; all of one problem and profile. */
export interface VariantTime {
  readonly deviceKey: string;
  readonly address: string;
  /** Per dispatch, above zero. */
  readonly medianNs: number;
}

/** How near a variant comes to the best of each device. */
export interface Portability {
  readonly address: string;
  /** Devices that have measured it. */
  readonly devices: number;
  /**
   * Geometric mean, over these devices, of the best time of any variant there over its
   * own: above 0 and at most 1, which only a variant reaches that is the best on each.
   */
  readonly partOfBest: number;
  /** The device it suits least, and its part of the best there. */
  readonly worst: { readonly deviceKey: string; readonly partOfBest: number };
  /** Measured by at least half as many devices as the most measured variant. */
  readonly isWide: boolean;
}

/**
 * Portability of each variant, the one to ship first. Devices that have not measured a
 * variant say nothing of it and are left out of its mean; so that a variant tried on one
 * device only does not win by that, those that are not wide come after the others. The
 * formula and its reasons are in docs/ranking.md.
 */
export function portability(times: readonly VariantTime[]): Portability[] {
  const best = bestTimes(times);
  const byVariant = new Map<string, VariantTime[]>();
  for (const time of times) {
    const of = byVariant.get(time.address);
    if (of) of.push(time);
    else byVariant.set(time.address, [time]);
  }
  const most = Math.max(0, ...[...byVariant.values()].map((of) => of.length));
  return [...byVariant]
    .map(([address, of]) => {
      const parts = of.map(({ deviceKey, medianNs }) => ({
        deviceKey,
        partOfBest: (best.get(deviceKey) ?? Number.NaN) / medianNs,
      }));
      const worst = parts.reduce((a, b) => (b.partOfBest < a.partOfBest ? b : a));
      return {
        address,
        devices: of.length,
        // The exponential of a mean of logarithms may round to a hair above 1.
        partOfBest: Math.min(1, geometricMean(parts.map((part) => part.partOfBest)) ?? Number.NaN),
        worst,
        isWide: 2 * of.length >= most,
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

/** The least time of any variant on each device, ns. */
export function bestTimes(times: readonly VariantTime[]): ReadonlyMap<string, number> {
  const best = new Map<string, number>();
  for (const { deviceKey, medianNs } of times) {
    best.set(deviceKey, Math.min(medianNs, best.get(deviceKey) ?? Number.POSITIVE_INFINITY));
  }
  return best;
}
