import { type Profile, type Result, type RooflineRecord, statedRates } from '@tilemark/core';
import type { Dtype } from '@tilemark/kernels';
import { group, max } from 'd3-array';

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
  surveys: readonly Pick<RooflineRecord, 'copies' | 'peaks' | 'profile'>[],
  results: readonly Result[],
): DeviceRoof[] {
  const surveyed = surveys.map((survey) => ({ ...survey, from: 'survey' as const }));
  const stated = [...group(results, ({ profile }) => profile)]
    .filter(([profile]) => !surveyed.some((survey) => survey.profile === profile))
    .map(([profile, alike]) => {
      const measured = alike.flatMap(({ outcome, problem, variant }) =>
        outcome?.kind === 'measured'
          ? [{ variant, problem, measurement: outcome.measurement }]
          : [],
      );
      return { ...statedRates(measured), profile, from: 'results' as const };
    })
    .filter(({ copies, peaks }) => peaks.length + copies.length > 0);
  return [...surveyed, ...stated].map(({ copies, from, peaks, profile }) => ({
    profile,
    peaks,
    gigabytesPerSecond: max(copies, (copy) => copy.gigabytesPerSecond) ?? null,
    from,
  }));
}
