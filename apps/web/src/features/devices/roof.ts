import { type Profile, type RooflineRecord, type RunResult, statedRates } from '@tilemark/core';
import type { Dtype } from '@tilemark/kernels';

/** The peak rates of a device under a profile. */
export interface DeviceRoof {
  readonly profile: Profile;
  /** Multiply-adds in registers, for dtypes with a known peak. */
  readonly peaks: readonly { readonly dtype: Dtype; readonly gigaflopsPerSecond: number }[];
  /** Its fastest copy; null if unknown. */
  readonly gigabytesPerSecond: number | null;
  /** A worker's survey, or the roofs stored with results. */
  readonly from: 'survey' | 'results';
}

/**
 * The roof of each profile: from the newest survey or, without one (imported results), from
 * the roofs stored with the results.
 */
export function deviceRoofs(
  surveys: readonly RooflineRecord[],
  results: readonly RunResult[],
): DeviceRoof[] {
  const surveyed = surveys.map(
    ({ copies, peaks, profile }): DeviceRoof => ({
      profile,
      peaks,
      gigabytesPerSecond: maxOf(copies.map((copy) => copy.gigabytesPerSecond)),
      from: 'survey',
    }),
  );
  const others = [...new Set(results.map(({ profile }) => profile))].filter(
    (profile) => !surveyed.some((roof) => roof.profile === profile),
  );
  return [
    ...surveyed,
    ...others.flatMap((profile) => {
      const roof = roofOfResults(
        profile,
        results.filter((result) => result.profile === profile),
      );
      return roof ? [roof] : [];
    }),
  ];
}

function roofOfResults(profile: Profile, results: readonly RunResult[]): DeviceRoof | null {
  const { copies, peaks } = statedRates(
    results.flatMap(({ outcome, problem, variant }) =>
      outcome?.kind === 'measured' ? [{ variant, problem, measurement: outcome.measurement }] : [],
    ),
  );
  if (peaks.length === 0 && copies.length === 0) return null;
  return {
    profile,
    peaks,
    gigabytesPerSecond: maxOf(copies.map((copy) => copy.gigabytesPerSecond)),
    from: 'results',
  };
}

const maxOf = (values: readonly number[]): number | null =>
  values.length > 0 ? Math.max(...values) : null;
