/** `UNDECIDED`: the interval of the ratio contains an end of the margin. */
export type Verdict = 'FAST' | 'SLOW' | 'SAME' | 'UNDECIDED';

/** Two are the same within this, relative: a smaller difference is nobody's reason to choose. */
export const MARGIN = 0.005;

/** How one does against another at the same work. */
export interface Contrast {
  readonly verdict: Verdict;
  /** Times that the candidate is faster than the base; below 1 it is slower. */
  readonly ratio: number;
  /** 95% interval of the ratio. */
  readonly low: number;
  readonly high: number;
  /**
   * If undecided, how many times as much measuring would decide it, were the ratio what it seems;
   * null if it then lies too close to the margin for `MOST_MEASURING`.
   */
  readonly wouldTake: number | null;
}

/** More measuring than this is not worth a promise. */
const MOST_MEASURING = 1000;

/**
 * The verdict on a ratio by its 95% interval: `FAST` and `SLOW` where it lies beyond the margin of
 * 0.5%, `SAME` where it lies within.
 */
export function verdictOn(ratio: number, low: number, high: number): Contrast {
  const [least, most] = [1 / (1 + MARGIN), 1 + MARGIN];
  const decided =
    low > most ? 'FAST' : high < least ? 'SLOW' : low >= least && high <= most ? 'SAME' : null;
  if (decided) return { verdict: decided, ratio, low, high, wouldTake: 1 };
  const half = Math.log(high / low) / 2;
  const room = Math.abs(Math.abs(Math.log(ratio)) - Math.log(most));
  const times = (half / room) ** 2;
  const wouldTake = times <= MOST_MEASURING ? Math.max(times, 1) : null;
  return { verdict: 'UNDECIDED', ratio, low, high, wouldTake };
}
