import type { Contrast, Outcome } from '@tilemark/core';

/**
 * Bisecting: of releases in order, the first that is slower, faster or wrong, each held against the
 * oldest. One that does not open the device here is passed over. A change that is undone later, and another of the same kind before it, are not looked for.
 */

/** How a release does against another: by several duels, or by how a side of them ended. */
export type Finding =
  | ({ readonly kind: 'dueled' } & Contrast)
  | { readonly kind: 'ended'; readonly outcome: Outcome };

/** How a release holds against another. */
export interface Held {
  readonly release: string;
  readonly against: string;
  readonly finding: Finding;
}

export interface Bisected {
  /** The oldest seen to differ from the first as the last does; null: the ends do not differ. */
  readonly found: string | null;
  /** Between it and the one before that does not, which do not open the device here: it may be one of them. */
  readonly unusable: readonly string[];
  /** In the order in which they were measured. */
  readonly held: readonly Held[];
}

/** A word for a finding; two with the same word are of one kind. */
export const wordOf = (finding: Finding): string =>
  finding.kind === 'dueled' ? finding.verdict : finding.outcome.kind;

/** Whether the verdict is that of a change. */
const isChange = (finding: Finding): boolean =>
  finding.kind === 'ended' || finding.verdict === 'FAST' || finding.verdict === 'SLOW';

/** Measures a release against an older one; null: it does not open the device here. */
type Hold = (release: string, against: string) => Promise<Finding | null>;

/**
 * Releases from the oldest to the newest that open the device. The oldest is found by halving: what
 * is too old for this system, or needs a newer one, comes before all others.
 *
 * @param releases the oldest first
 */
export async function fromUsableToUsable(
  releases: readonly string[],
  opens: (release: string) => Promise<boolean>,
): Promise<string[]> {
  const opensAt = (at: number) => opens(releases[at] ?? '');
  let last = releases.length - 1;
  while (last >= 0 && !(await opensAt(last))) last--;
  if (last <= 0 || (await opensAt(0))) return releases.slice(0, last + 1);
  let [closed, open] = [0, last];
  while (open - closed > 1) {
    const middle = Math.floor((closed + open) / 2);
    if (await opensAt(middle)) open = middle;
    else closed = middle;
  }
  return releases.slice(open, last + 1);
}

/**
 * Halves the releases between the ends, both of which open the device, until the change lies between
 * two neighbours, and holds these against each other.
 *
 * @param releases two or more, the oldest first
 */
export async function bisectReleases(releases: readonly string[], hold: Hold): Promise<Bisected> {
  const [first = '', last = ''] = [releases[0], releases.at(-1)];
  const held: Held[] = [];
  const holding = async (release: string, against: string) => {
    const finding = await hold(release, against);
    if (finding) held.push({ release, against, finding });
    return finding;
  };
  const ends = await holding(last, first);
  if (!ends || !isChange(ends)) return { found: null, unusable: [], held };
  let unchanged = first;
  let changed = last;
  let between = releases.slice(1, -1);
  const unusable = new Set<string>();
  for (;;) {
    const usable = between.filter((release) => !unusable.has(release));
    const middle = usable[Math.floor(usable.length / 2)];
    if (middle === undefined) break;
    const finding = await holding(middle, first);
    if (!finding) {
      unusable.add(middle);
    } else if (wordOf(finding) === wordOf(ends)) {
      changed = middle;
      between = between.slice(0, between.indexOf(middle));
    } else {
      unchanged = middle;
      between = between.slice(between.indexOf(middle) + 1);
    }
  }
  if (unchanged !== first) await holding(changed, unchanged);
  return { found: changed, unusable: between, held };
}
