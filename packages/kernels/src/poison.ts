/**
 * Written over every output before it is computed, and left behind it as the
 * canary: NaN as f32 and as a pair of f16, and far outside what i32 inputs
 * can produce.
 */
export const POISON_WORD = 0x7fc1_7fc1;

/** The same, half by half: outputs of f16 end on any half. */
export const POISON_HALF = 0x7fc1;
