/**
 * Results by problem and profile, which are never compared with others, in the order in which
 * each first appears: the fastest first, with its part of the best rate among them; null where
 * there is no rate.
 *
 * @template {{ problem: { shape: object, dtype: string }, profile: string,
 *   rate: { value: number } | null }} R
 * @param {readonly R[]} results
 * @returns {{ result: R, ofBest: number | null }[][]}
 */
export function groups(results) {
  const byProblem = new Map();
  for (const result of results) {
    const { problem, profile } = result;
    const key = [...Object.values(problem.shape), problem.dtype, profile].join(' ');
    byProblem.set(key, [...(byProblem.get(key) ?? []), result]);
  }
  return [...byProblem.values()].map((group) => {
    const ordered = group.toSorted((a, b) => (b.rate?.value ?? 0) - (a.rate?.value ?? 0));
    const best = ordered[0].rate?.value;
    return ordered.map((result) => ({
      result,
      ofBest: result.rate ? result.rate.value / best : null,
    }));
  });
}
