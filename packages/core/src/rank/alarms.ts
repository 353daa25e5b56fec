import type { Contrast } from '../statistics/verdict';
import { contrast } from './head-to-head';
import { type Headline, headline, type Interval, type Spread } from './headline';

/**
 * Alarms: a variant against its own history on a device, one invocation after another. It has become
 * slower or faster where two invocations running say so, each by itself and both together, by the
 * rules of verdicts; what they show is its history from then on. A single one that stands out is
 * suspect, and no more.
 */

/** A variant as one invocation measured it. */
export interface Occasion extends Interval {
  readonly invocation: string;
  readonly resultId: string;
}

export interface Change {
  readonly verdict: 'FAST' | 'SLOW';
  /** The two that agree, the earlier first. */
  readonly occasions: readonly [Occasion, Occasion];
  /** What was before, and what they show. */
  readonly before: Headline;
  readonly after: Headline;
  readonly contrast: Contrast;
}

export interface Watched {
  /** The oldest first. */
  readonly changes: readonly Change[];
  /** The newest invocation stands out by itself: another would tell. */
  readonly isSuspect: boolean;
}

/** Fewer invocations are no history. */
const LEAST_HISTORY = 2;

/** The newest of a history; what was long ago says little. */
const MOST_HISTORY = 12;

/** What is known of a device. */
interface Watching {
  /** See `knownSpread`. */
  readonly known: Spread;
  /** A change by a smaller factor is none, as the whole interval has it. */
  readonly leastChange: number;
}

/**
 * The changes that a variant's invocations show.
 *
 * @param occasions the oldest first; of several of one invocation, the last counts
 */
export function changesIn(occasions: readonly Occasion[], known: Watching): Watched {
  const changes: Change[] = [];
  let history: Occasion[] = [];
  let newest: Occasion | null = null;
  for (const occasion of perInvocation(occasions)) {
    const change = newest && changeOf([newest, occasion], history, known);
    if (change) {
      changes.push(change);
      history = [...change.occasions];
      newest = null;
      continue;
    }
    if (newest) history = [...history, newest].slice(-MOST_HISTORY);
    newest = occasion;
  }
  return { changes, isSuspect: newest !== null && sideOf([newest], history, known) !== null };
}

function perInvocation(occasions: readonly Occasion[]): Occasion[] {
  const last = new Map<string, Occasion>();
  for (const occasion of occasions) {
    last.delete(occasion.invocation);
    last.set(occasion.invocation, occasion);
  }
  return [...last.values()];
}

function changeOf(
  occasions: readonly [Occasion, Occasion],
  history: readonly Occasion[],
  known: Watching,
): Change | null {
  const both = sideOf(occasions, history, known);
  const agree = occasions.every(
    (occasion) => both && sideOf([occasion], history, known)?.verdict === both.verdict,
  );
  return both && agree ? { ...both, occasions } : null;
}

/** On which side of the history they are; null: on none, or there is no history. */
function sideOf(
  occasions: readonly Occasion[],
  history: readonly Occasion[],
  { known, leastChange }: Watching,
) {
  if (history.length < LEAST_HISTORY) return null;
  const [before, after] = [headline(history, known), headline(occasions, known)];
  const found = contrast(after, before);
  const { high, low, verdict } = found;
  const isLarge = low > leastChange || high < 1 / leastChange;
  return isLarge && (verdict === 'FAST' || verdict === 'SLOW')
    ? { verdict, before, after, contrast: found }
    : null;
}
