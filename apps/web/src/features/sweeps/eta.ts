/** Ends that tell a pace; fewer tell more of chance. */
const FEWEST_ENDS = 3;

/**
 * How long a device may take for its pending runs, s, by the mean time between the ends
 * of those before them: runs come in random order, so the mean of some is that of all.
 * Null while too few have ended.
 *
 * @param endsMs when its runs ended, ms since 1970, in any order
 */
export function remainingSeconds(endsMs: readonly number[], pending: number): number | null {
  if (endsMs.length < FEWEST_ENDS) return null;
  const [first = 0, ...later] = endsMs.toSorted((a, b) => a - b);
  const last = later.at(-1) ?? first;
  return ((last - first) / 1e3 / later.length) * pending;
}
