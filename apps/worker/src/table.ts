import Table from 'cli-table3';

/** A table for a terminal, without colours and without rules between rows. */
export function table(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  alignments: readonly ('left' | 'right')[] = [],
): string {
  const drawn = new Table({
    head: [...head],
    colAligns: [...alignments],
    style: { head: [], border: [] },
    chars: { mid: '', 'mid-mid': '', 'left-mid': '', 'right-mid': '' },
  });
  for (const row of rows) drawn.push([...row]);
  return drawn.toString();
}
