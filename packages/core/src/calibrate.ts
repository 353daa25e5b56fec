import { bufferBytes, type Problem, type Timer } from '@tilemark/kernels';
import { LONG_DISPATCH_NS } from './long-dispatch';
import type { Policy } from './policy';

/** Bytes that the buffer sets cover where the last-level cache is not known. */
const UNKNOWN_CACHE_COVER_BYTES = 256 * 2 ** 20;

/** Beyond this many sets a tiny problem measures its launch, whatever the cache holds. */
export const MAX_BUFFER_SETS = 128;

/** A sample grows at most this much a probe: a cold first probe says little about the next. */
const MAX_GROWTH = 4;

/** Dispatches a sample may hold; also ends the growth where a timer gives nothing but zeros. */
const MAX_DISPATCHES = 65_536;

/**
 * How many sets of buffers to rotate so that together they cover twice the
 * last-level cache, and a set has left it before its turn comes again.
 *
 * @param lastLevelCacheBytes null where it is not known: 256 MiB are covered
 */
export function bufferSetsFor(problem: Problem, lastLevelCacheBytes: number | null): number {
  const coverBytes = lastLevelCacheBytes ? 2 * lastLevelCacheBytes : UNKNOWN_CACHE_COVER_BYTES;
  return Math.min(Math.max(Math.ceil(coverBytes / setBytes(problem)), 1), MAX_BUFFER_SETS);
}

/** Bytes of one set of buffers: the inputs and the output. */
export function setBytes(problem: Problem): number {
  const { inputs, output } = bufferBytes(problem);
  return inputs.reduce((sum, bytes) => sum + bytes, output);
}

/** The shortest sample that the timer resolves well enough for the policy, ns. */
export function shortestSampleNs(policy: Policy, timer: Timer): number {
  return Math.max(policy.minSampleNs, policy.minSampleTicks * timer.tickNs);
}

/**
 * Dispatches for the next probe, after one of `dispatches` took `ns`: the same
 * number once the sample is long enough, otherwise what should reach
 * `targetNs` with a fifth to spare, at most four times as many. A sample of several
 * dispatches stays under 1 s, whatever a coarse clock asks for.
 */
export function nextDispatches(dispatches: number, ns: number, targetNs: number): number {
  if (ns >= targetNs) return dispatches;
  const each = ns / dispatches;
  const wanted = ns > 0 ? Math.ceil((1.2 * targetNs) / each) : Number.POSITIVE_INFINITY;
  const most = ns > 0 ? Math.max(Math.floor(LONG_DISPATCH_NS / each), dispatches) : wanted;
  return Math.min(wanted, most, MAX_GROWTH * dispatches, MAX_DISPATCHES);
}
