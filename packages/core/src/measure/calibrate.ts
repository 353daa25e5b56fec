import { bufferBytes, type Prepared, type Problem, type Timer } from '@tilemark/kernels';
import type { Measurement } from './outcome';
import type { Policy } from './policy';

/** Bytes that the buffer sets cover if the last-level cache is unknown. */
const UNKNOWN_CACHE_COVER_BYTES = 256 * 2 ** 20;

/** Most buffer sets: with more, a tiny problem measures its launch, whatever is in the cache. */
export const MAX_BUFFER_SETS = 128;

/**
 * No pair of inputs meets twice in a sample where its dispatches are fewer than the square of the sets
 * (rotation.ts). In 1 ms, the fastest devices move so many bytes, or launch the square of so many
 * dispatches. Three are the fewest of which none is used twice running.
 */
const SAMPLE_BYTES = 6e9;
const SETS_OF_LAUNCHES = 24;
const MOST_BYTES = { ofPairs: 2 ** 29, ofThree: 2 ** 31 };

/** A sample grows at most this much per probe: a cold first probe says little about the next. */
const MAX_GROWTH = 4;

/** Most dispatches per sample; also ends the growth if a timer returns only zeros. */
export const MAX_DISPATCHES = 65_536;

/**
 * How many sets of buffers to rotate so that together they cover twice the last-level cache, and
 * each set has left it before its next turn.
 *
 * @param lastLevelCacheBytes null if unknown: the sets cover 256 MiB
 */
export function bufferSetsFor(problem: Problem, lastLevelCacheBytes: number | null): number {
  const coverBytes = lastLevelCacheBytes ? 2 * lastLevelCacheBytes : UNKNOWN_CACHE_COVER_BYTES;
  const bytes = setBytes(problem);
  const ofPairs = Math.min(Math.ceil(Math.sqrt(SAMPLE_BYTES / bytes)), SETS_OF_LAUNCHES);
  const least = Math.max(
    Math.min(ofPairs, Math.floor(MOST_BYTES.ofPairs / bytes)),
    Math.min(3, Math.floor(MOST_BYTES.ofThree / bytes)),
  );
  return Math.min(Math.max(Math.ceil(coverBytes / bytes), least, 1), MAX_BUFFER_SETS);
}

/** Bytes of one set of buffers: the inputs and the output. */
export function setBytes(problem: Problem): number {
  const { inputs, output } = bufferBytes(problem);
  return inputs.reduce((sum, bytes) => sum + bytes, output);
}

/** Everything that the dispatches of a measurement rotated through, bytes. */
export const workingSetOf = (bufferSets: number, problem: Problem): number =>
  bufferSets * setBytes(problem);

/** A clock whose step is this long or longer is one that a browser rounds, ns. */
const COARSE_NS = 5_000;

/** The step of a rounded clock is at most 1% of a sample, whatever the policy. */
const COARSE_TICKS = 100;

/** The largest error of a clock that is rounded, ns. */
export const roundingNs = ({ tickNs }: Timer): number => (tickNs >= COARSE_NS ? 2 * tickNs : 0);

/** The shortest sample that the timer resolves well enough for the policy, ns. */
function resolvedNs({ minSampleTicks }: Policy, timer: Timer): number {
  const ticks = roundingNs(timer) > 0 ? COARSE_TICKS : 0;
  return Math.max(minSampleTicks, ticks) * timer.tickNs;
}

/** The shortest sample that the policy takes, ns. */
export const shortestSampleNs = (policy: Policy, timer: Timer): number =>
  Math.max(policy.minSampleNs, resolvedNs(policy, timer));

interface NextOptions {
  readonly policy: Policy;
  readonly timer: Timer;
  /** A sample of several dispatches stays under this, ns. */
  readonly longestNs?: number | undefined;
}

/**
 * Dispatches for the next sample of a series: `nextDispatches`, of which no two repeat a pair of
 * inputs, if the timer resolves so few.
 */
export function nextOfSeries(
  dispatches: number,
  ns: number,
  { newTurns }: Pick<Prepared, 'newTurns'>,
  { policy, timer, longestNs }: NextOptions,
): number {
  const toReach = (leastNs: number) => nextDispatches(dispatches, ns, leastNs, longestNs);
  const wanted = toReach(shortestSampleNs(policy, timer));
  return wanted <= newTurns ? wanted : Math.max(newTurns, toReach(resolvedNs(policy, timer)));
}

/**
 * Dispatches for the next probe after one of `dispatches` took `ns`: the same number once the
 * sample is long enough, otherwise what should reach `targetNs` with a fifth to spare, at most
 * four times as many. A sample of several dispatches stays under `longestNs`, whatever a coarse
 * clock asks for.
 */
export function nextDispatches(
  dispatches: number,
  ns: number,
  targetNs: number,
  longestNs = LONG_DISPATCH_NS,
): number {
  if (ns >= targetNs) return dispatches;
  const dispatchNs = ns / dispatches;
  const wanted = ns > 0 ? Math.ceil((1.2 * targetNs) / dispatchNs) : Number.POSITIVE_INFINITY;
  const most = ns > 0 ? Math.max(Math.floor(longestNs / dispatchNs), dispatches) : wanted;
  return Math.min(wanted, most, MAX_GROWTH * dispatches, MAX_DISPATCHES);
}

/**
 * A dispatch should stay under this, ns: operating systems and browsers kill what occupies a GPU
 * for seconds, and its clocks cannot be watched meanwhile.
 */
const LONG_DISPATCH_NS = 1e9;

/** Longest pass in a browser, ns: the desktop waits for it. */
export const LONG_PASS_IN_BROWSER_NS = 0.25e9;

/** A warning that one dispatch of a measured variant takes too long; null if it does not. */
export function longDispatch({ cold }: Pick<Measurement, 'cold'>): string | null {
  if (!(cold.medianNs > LONG_DISPATCH_NS)) return null;
  return `one dispatch takes ${(cold.medianNs / 1e9).toFixed(1)} s (over 1 s): a system that shares its GPU with a display may kill it`;
}
