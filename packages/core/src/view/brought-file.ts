import { isT4, otherToolText } from './other-tool';

/** What people bring to a grid in a file, and where each kind of it belongs: in one set of words. */

/** Results of `bench --json`, figures without samples, or a summary of whole suites. */
export type BroughtFile = 'results' | 'figures' | 'suites';

/** Told by the keys it has; null: none of them. */
export function broughtFile(json: unknown): BroughtFile | null {
  if (typeof json !== 'object' || json === null) return null;
  if ('about' in json && 'runs' in json) return 'suites';
  if ('version' in json && 'results' in json) return 'results';
  return 'date' in json && 'results' in json ? 'figures' : null;
}

const BELONGS: Readonly<Record<BroughtFile, string>> = {
  results:
    'This file contains results of `tilemark bench --json`, not figures of reference: send it to /api/v1/results/import.',
  figures:
    'This file contains figures of `bench/side-by-side` or of a library, without samples. They cannot be results, only reference: send it to /api/v1/reference, or import it with `tilemark import` or on the Workers page, which choose by the file.',
  suites:
    'This file sums up how well Tilemark chooses variants for whole suites (`bench/side-by-side --suite`). It is documentation, which no grid imports: read it in /docs/performance-h200.',
};

const T4_BELONGS =
  'This file contains T4 of an auto-tuner, whose times cannot be results, only reference: import it with `tilemark import --hardware NAME`.';

/** Why a file is refused where another kind is taken, and where it belongs; null: it is of that kind, or of none. */
export function misplaced(json: unknown, taken: BroughtFile): string | null {
  const other = otherToolText(json);
  if (other) return `This ${other}`;
  if (isT4(json)) return T4_BELONGS;
  const kind = broughtFile(json);
  return kind === null || kind === taken ? null : BELONGS[kind];
}
