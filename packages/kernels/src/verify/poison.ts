/**
 * The contents of output and scratch memory before a dispatch that is verified: NaN (a sentinel for i32), so
 * that whatever is unwritten is found; or stale values, as plausible as an earlier result, so that a kernel
 * that looks for NaN, or relies on what it left there, is found too.
 */
export type PoisonKind = 'nan' | 'stale';

/** NaN as f32 and as a pair of f16, and far outside the range of i32 results. */
export const POISON_WORD = 0x7fc1_7fc1;

/**
 * Bytes on either side of every tensor and of scratch memory. No kernel may change those of outputs,
 * and those of inputs are NaN (a large integer), so that what is read there shows. Those behind are
 * part of the binding: a device drops what is written beyond a binding, and reads 0 there.
 */
export const GUARD_BYTES = 4096;

/** Bytes behind one output of a run that its kernel is bound to once, to see what it writes far away. */
export const FAR_BYTES = 2 ** 22;
