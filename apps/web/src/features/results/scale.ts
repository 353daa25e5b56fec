import type { PeakShare } from '@tilemark/core';

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
