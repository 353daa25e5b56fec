/** A measured side of a comparison. */
export interface Side {
  readonly medianNs: number;
  readonly intervalNs: readonly [low: number, high: number];
  /** Why it would not be ranked. Absent for programs without rankings. */
  readonly unranked?: string | null;
}

export interface Comparison {
  /** Our rate over the other's. */
  readonly ratio: number;
  readonly ratioInterval: readonly [low: number, high: number];
  readonly verdict: string;
}

/** A ratio of rates with its 95% interval. */
export interface Ratio {
  readonly ratio: number;
  readonly low: number;
  readonly high: number;
}

/** The ratio of our rate to the other's, its interval from those of the medians. */
const ofMedians = (ours: Side, other: Side): Ratio => ({
  ratio: other.medianNs / ours.medianNs,
  low: other.intervalNs[0] / ours.intervalNs[1],
  high: other.intervalNs[1] / ours.intervalNs[0],
});

/**
 * The ratio of our rate to the other's and a verdict on the goal: `in doubt` if the interval contains
 * it, `none` with the reason if a side would not be ranked or the shape is not the goal's.
 *
 * @param dueled the ratio of a duel; absent: it is that of the medians
 */
export function compare(
  ours: Side,
  other: Side,
  { goal, isCapped }: { readonly goal: number; readonly isCapped: boolean },
  dueled?: Ratio,
): Comparison {
  const { ratio, low, high } = dueled ?? ofMedians(ours, other);
  const why = ours.unranked ?? other.unranked ?? (isCapped ? 'a capped shape' : null);
  const onGoal = low >= goal ? 'met' : high < goal ? 'not met' : 'in doubt';
  return {
    ratio,
    ratioInterval: [low, high],
    verdict: why === null ? onGoal : `none: ${why}`,
  };
}

export function verdictOf(rounds: readonly string[]): string {
  return new Set(rounds).size > 1 ? `in doubt, by round: ${rounds.join(', ')}` : (rounds[0] ?? '');
}
