/** @typedef {{ medianNs: number, intervalNs: number[], unranked?: string | null }} Side */

/**
 * The ratio of our rate over the other's, the interval that those of the medians leave it,
 * and a verdict on the goal: `in doubt` where the interval holds it, and `none` with the
 * reason where a side would not be ranked or the shape is not the one of the goal.
 *
 * @param {Side} ours
 * @param {Side} other
 * @param {{ goal: number, isCapped: boolean }} row
 */
export function compared(ours, other, { goal, isCapped }) {
  const ratio = other.medianNs / ours.medianNs;
  const [low, high] = [
    other.intervalNs[0] / ours.intervalNs[1],
    other.intervalNs[1] / ours.intervalNs[0],
  ];
  const why = ours.unranked ?? other.unranked ?? (isCapped ? 'a capped shape' : null);
  const verdict = why === null ? onGoal(low, high, goal) : `none: ${why}`;
  return { ratio, ratioInterval: [low, high], verdict };
}

function onGoal(low, high, goal) {
  if (low >= goal) return 'met';
  return high < goal ? 'not met' : 'in doubt';
}

/**
 * One verdict of all rounds.
 *
 * @param {readonly string[]} rounds
 */
export function verdictOf(rounds) {
  return new Set(rounds).size > 1 ? `in doubt, by round: ${rounds.join(', ')}` : (rounds[0] ?? '');
}
