import type { Counts } from './counts';

/** A piece of the full set, small enough that a budget of time is well used. */
export interface Part {
  readonly name: string;
  /** What it takes on two idle cores. */
  readonly minutes: number;
  run(): Counts;
}

/**
 * Runs the parts in order, leaving out each that takes longer than the minutes that are left by then:
 * such a part is named and counts as one skipped test.
 */
export function runParts(
  parts: readonly Part[],
  minutesLeft: () => number,
  say: (line: string) => void,
): Counts[] {
  return parts.map((part) => {
    const left = minutesLeft();
    if (part.minutes <= left) return part.run();
    say(`skipped: ${part.name}: takes about ${part.minutes} minutes, ${left.toFixed(1)} are left`);
    return { passed: 0, failed: 0, skipped: 1, failures: [] };
  });
}
