import type { PeakShare } from '@tilemark/core';
import { formatRate } from '@/ui/format';

/** The most that a device can do on a problem. */
export interface Peak {
  readonly rate: number;
  readonly isMeasured: boolean;
  /** What binds: at a small size it may be the copying, not the arithmetic. */
  readonly bound: PeakShare['bound'];
}

export const peakText = (peak: Peak | null): string =>
  peak
    ? `${peak.bound === 'bandwidth' ? 'peak by bandwidth' : 'peak'} ${formatRate(peak.rate)}${peak.isMeasured ? '' : ' by data sheet'}`
    : 'no peak known';

/**
 * The rate of a full bar: the peak, without one the fastest of several. Null: there is no bar, since
 * a single one has nothing to compare with.
 */
export const fullRate = (
  peak: Peak | null,
  bars: readonly { readonly rate: number }[],
): number | null =>
  peak?.rate ?? (bars.length > 1 ? Math.max(...bars.map(({ rate }) => rate)) : null);
