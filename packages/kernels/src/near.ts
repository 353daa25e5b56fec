/** `Did you mean layouts?` for a near miss of a known word; else, after `are`, all of them. */
export function didYouMean(text: string, known: readonly string[], are: string): string {
  const lower = text.toLowerCase();
  const [nearest] = known
    .map((word) => ({ word, distance: edits(lower, word.toLowerCase()) }))
    // A third of the word may differ; what one begins with the other says as well.
    .filter(
      ({ distance, word }) =>
        distance <= word.length / 3 || (lower.length > 2 && word.toLowerCase().startsWith(lower)),
    )
    .toSorted((a, b) => a.distance - b.distance);
  return nearest ? `Did you mean ${nearest.word}?` : `${are}: ${known.join(', ')}.`;
}

/** Letters to insert, delete, or replace (Levenshtein 1966), row by row. */
function edits(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...b].entries()) {
      const kept = (row[j] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(kept, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
