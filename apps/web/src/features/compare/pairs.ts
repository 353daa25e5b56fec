import { geometricMean, type HeadToHead, type Verdict, verdict } from '@tilemark/core';

/** One problem, and how the second side does on it against the first. */
export interface Compared {
  readonly pair: HeadToHead;
  readonly verdict: Verdict;
  /** Times that B is faster than A, by the medians; below 1 it is slower. */
  readonly speedup: number;
  readonly low: number;
  readonly high: number;
}

export interface Summary {
  readonly rows: readonly Compared[];
  /** Geometric mean of the speed-ups over all pairs; null for none. */
  readonly mean: number | null;
  readonly counts: Readonly<Record<Verdict, number>>;
}

/** Each pair's verdict and effect, and what they come to together. */
export function comparePairs(pairs: readonly HeadToHead[]): Summary {
  const rows = pairs.map((pair): Compared => {
    const { a, b } = pair;
    return {
      pair,
      verdict: verdict(b, a),
      speedup: a.medianNs / b.medianNs,
      low: a.lowNs / b.highNs,
      high: a.highNs / b.lowNs,
    };
  });
  const count = (of: Verdict) => rows.filter((row) => row.verdict === of).length;
  return {
    rows,
    mean: geometricMean(rows.map(({ speedup }) => speedup)),
    counts: { FAST: count('FAST'), SAME: count('SAME'), SLOW: count('SLOW') },
  };
}
