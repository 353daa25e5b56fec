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

/** Separate samples are this many times as far apart as those of either side. */
const FAR = 10;

/** How likely samples of equal kernels are separate at most, where that decides. */
const SEPARATE_BY_CHANCE = 0.01;

/**
 * Whether two sides' samples are separate beyond doubt: all of one below all of the other, which of so
 * many is unlikely by chance (the exact test of ranks: 2 / C(n + m, n)), at a distance beside which the
 * spread of either is nothing. It decides where samples are too dependent for an interval.
 */
export function areSeparate(a: readonly number[], b: readonly number[]): boolean {
  const logs = [a, b].map((samples) => samples.map(Math.log));
  const ends = logs.map((samples) => ({ low: Math.min(...samples), high: Math.max(...samples) }));
  const [one, other] = ends.toSorted((x, y) => x.low - y.low);
  if (!one || !other) return false;
  const spread = Math.max(...ends.map(({ high, low }) => high - low));
  let chance = 2;
  for (let i = 1; i <= b.length; i++) chance *= i / (a.length + i);
  return other.low - one.high > FAR * spread && chance <= SEPARATE_BY_CHANCE;
}

/** More measuring than this is not worth a promise. */
export const MOST_MEASURING = 1000;

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
