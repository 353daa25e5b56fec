import { bufferBytes, type Problem, type Timer } from '@tilemark/kernels';
import type { Measurement } from './outcome';
import type { Policy } from './policy';

/** Bytes that the buffer sets cover if the last-level cache is unknown. */
const UNKNOWN_CACHE_COVER_BYTES = 256 * 2 ** 20;

/** With more sets than this, a tiny problem measures its launch, whatever is in the cache. */
export const MAX_BUFFER_SETS = 128;

/**
 * The more sets, the more dispatches find new pairs of inputs (rotation.ts), and three are the fewest
 * of which none is used twice running: so many, as far as they fit into some memory, else into more.
 */
const LEAST_SETS = [
  { sets: 8, withinBytes: 256 * 2 ** 20 },
  { sets: 3, withinBytes: 2 ** 31 },
] as const;

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
  const least = LEAST_SETS.map(({ sets, withinBytes }) =>
    Math.min(Math.floor(withinBytes / bytes), sets),
  );
  return Math.min(Math.max(Math.ceil(coverBytes / bytes), ...least, 1), MAX_BUFFER_SETS);
}

/** Bytes of one set of buffers: the inputs and the output. */
export function setBytes(problem: Problem): number {
  const { inputs, output } = bufferBytes(problem);
  return inputs.reduce((sum, bytes) => sum + bytes, output);
}

/** A clock whose step is this long or longer is one that a browser rounds, ns. */
const COARSE_NS = 5_000;

/** The step of a rounded clock is at most 1% of a sample, whatever the policy. */
const COARSE_TICKS = 100;

/** By how much a clock may err for its being rounded, ns. */
export const roundingNs = ({ tickNs }: Timer): number => (tickNs >= COARSE_NS ? 2 * tickNs : 0);

/** The shortest sample the timer resolves well enough for the policy, ns. */
export function shortestSampleNs(policy: Policy, timer: Timer): number {
  const ticks = roundingNs(timer) > 0 ? COARSE_TICKS : 0;
  return Math.max(policy.minSampleNs, Math.max(policy.minSampleTicks, ticks) * timer.tickNs);
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

/** In a browser a pass stays under this, ns: the desktop waits for it. */
export const LONG_PASS_IN_BROWSER_NS = 0.25e9;

/** A warning that one dispatch of a measured variant takes too long; null if it does not. */
export function longDispatch({ cold }: Pick<Measurement, 'cold'>): string | null {
  if (!(cold.medianNs > LONG_DISPATCH_NS)) return null;
  return `one dispatch takes ${(cold.medianNs / 1e9).toFixed(1)} s (over 1 s): a system that shares its GPU with a display may kill it`;
}
