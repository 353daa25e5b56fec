import type { Profile, RooflineRecord, RunResult } from '@tilemark/core';
import { type Dtype, opOf } from '@tilemark/kernels';

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
  const peaks = new Map<Dtype, number>();
  const copies: number[] = [];
  for (const { outcome, problem } of results) {
    const roof = outcome?.kind === 'measured' ? outcome.measurement.roof : null;
    if (!roof) continue;
    const op = opOf(problem);
    if (roof.bound === 'bandwidth') copies.push(op.bytes(problem.shape, problem.dtype) / roof.ns);
    else {
      const peak = op.flops(problem.shape) / roof.ns;
      peaks.set(problem.dtype, Math.max(peak, peaks.get(problem.dtype) ?? 0));
    }
  }
  if (peaks.size === 0 && copies.length === 0) return null;
  return {
    profile,
    peaks: [...peaks].map(([dtype, gigaflopsPerSecond]) => ({ dtype, gigaflopsPerSecond })),
    gigabytesPerSecond: maxOf(copies),
    from: 'results',
  };
}

const maxOf = (values: readonly number[]): number | null =>
  values.length > 0 ? Math.max(...values) : null;
