import {
  multiplyAdds,
  PLAUSIBLE_PART,
  type Profile,
  type RooflineRecord,
  type RunResult,
  statedRates,
} from '@tilemark/core';
import { DTYPES, type Dtype, ifValid, opOf } from '@tilemark/kernels';
import { NEAR_PEAK } from '../results/scale';

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

/**
 * The lines to draw a result under, those of its profile and element type; null where its share of a
 * measured peak is not known: a page that says so shows no peak beside it.
 */
export function roofOver(
  result: RunResult,
  surveys: readonly RooflineRecord[],
  bests: readonly RunResult[],
): DeviceRoof | null {
  const { outcome, problem, profile } = result;
  if (outcome?.kind !== 'measured' || !outcome.measurement.roof) return null;
  const roof = deviceRoofs(surveys, [result, ...bests]).find((each) => each.profile === profile);
  const peaks = roof?.peaks.filter(({ dtype }) => dtype === DTYPES[problem.dtype].peak) ?? [];
  return roof && peaks.length > 0 ? { ...roof, peaks } : null;
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

/** A result in the plane of a roofline. */
export interface RooflinePlace {
  readonly flopPerByte: number;
  /** GFLOP/s. */
  readonly rate: number;
  /** The peak that it is under; null: its rate may rightly be above. */
  readonly peak: Dtype | null;
}

/**
 * None over matrix units and packed dots, which no probe measures, and over fewer multiply-adds than are
 * counted.
 */
export function peakOver({
  problem,
  variant,
}: Pick<RunResult, 'problem' | 'variant'>): RooflinePlace['peak'] {
  const flops = opOf(problem).flops(problem.shape);
  // A kernel that this page does not know is taken for an ordinary one.
  const done = ifValid(() => multiplyAdds(variant, problem)) ?? flops;
  return done < flops ? null : DTYPES[problem.dtype].peak;
}

/** What the roof says of the places above it; empty: there are none. */
export function aboveRoof(
  { gigabytesPerSecond, peaks }: DeviceRoof,
  places: readonly RooflinePlace[],
): string {
  const parts = places.map(({ flopPerByte, peak, rate }) => {
    const most = peaks.find(({ dtype }) => dtype === peak)?.gigaflopsPerSecond ?? Infinity;
    return rate / Math.min(most, (gigabytesPerSecond ?? Infinity) * flopPerByte);
  });
  const most = Math.max(...parts);
  const level = Math.max(...peaks.map(({ gigaflopsPerSecond }) => gigaflopsPerSecond));
  if (!(most > 1)) {
    return places.some(({ peak, rate }) => peak === null && rate > level)
      ? 'Points above the lines use matrix units, packed dots, or fewer multiply-adds, which no line bounds.'
      : '';
  }
  return most * PLAUSIBLE_PART <= 1
    ? `A point above the line: ${NEAR_PEAK}.`
    : 'Points far above the line prove it too low: the probe found the device idle.';
}

const maxOf = (values: readonly number[]): number | null =>
  values.length > 0 ? Math.max(...values) : null;
