import type { LeaderboardRow, PeakShare } from '@tilemark/core';
import { formatOfPeak, formatRate } from '@/ui/format';

/** The most that a device can do on a problem. */
export interface Peak {
  readonly rate: number;
  readonly isMeasured: boolean;
  /** What binds: at a small size it may be the copying, not the arithmetic. */
  readonly bound: PeakShare['bound'];
}

/** The peak of which a rate is such a share. */
export const peakOf = (rate: number, { bound, share }: PeakShare): Peak => ({
  rate: rate / share,
  isMeasured: bound !== 'by data sheet',
  bound,
});

/** `peak 4,915 GB/s by data sheet`; without the unit where a heading has it. */
export const peakText = (peak: Peak | null, unit = ''): string =>
  peak
    ? [
        peak.bound === 'bandwidth' ? 'peak by bandwidth' : 'peak',
        formatRate(peak.rate),
        ...(unit ? [unit] : []),
        ...(peak.isMeasured ? [] : ['by data sheet']),
      ].join(' ')
    : 'no peak known';

/** How much of its peak a rate is, and that the peak is the full bar: a share beyond it looks full. */
export const fullBarText = ({ unit, value }: LeaderboardRow['rate'], near: PeakShare): string =>
  `${formatOfPeak(near.share)} of ${peakText(peakOf(value, near), unit)} (full bar)`;

/** Why a result may lie a little above a peak that a probe measured; see `PLAUSIBLE_PART`. */
export const NEAR_PEAK = 'a probe only comes close to a peak, and up to 5% beyond it is believed';

/** Why a result is faster than the peak; null: it is not. */
export const overPeak = ({ bound, share }: PeakShare): string | null =>
  share <= 1 ? null : bound === 'by data sheet' ? 'the data may come from a cache' : NEAR_PEAK;

/** `measured compute`, `by data sheet`, and why a share is more than all of it. */
export function boundText(peak: PeakShare): string {
  const { bound } = peak;
  const over = overPeak(peak);
  const what = bound === 'by data sheet' ? bound : `measured ${bound}`;
  return over === null ? what : `${what}: ${over}`;
}

/**
 * The rate of a full bar: the peak, without one the fastest of several. Null: there is no bar, since
 * a single one has nothing to compare with.
 */
export const fullRate = (
  peak: Peak | null,
  bars: readonly { readonly rate: number }[],
): number | null =>
  peak?.rate ?? (bars.length > 1 ? Math.max(...bars.map(({ rate }) => rate)) : null);
