/**
 * What a dispatch that is verified finds in its output and scratch memory: NaN (a sentinel for
 * i32), so that whatever is unwritten is found; or stale values, as plausible as an earlier result,
 * so that a kernel that looks for NaN, or relies on what it left there, is found too.
 */
export type PoisonKind = 'nan' | 'stale';

/** NaN as f32 and as a pair of f16, and far outside the range of i32 results. */
export const POISON_WORD = 0x7fc1_7fc1;

/**
 * Bytes on either side of every output and scratch memory that no kernel may change. Those behind
 * are part of the binding: robust access clamps an out-of-bounds index to it, so that a stray write
 * lands there.
 */
export const GUARD_BYTES = 4096;
