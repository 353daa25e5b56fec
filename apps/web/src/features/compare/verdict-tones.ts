import type { Verdict } from '@tilemark/core';
import type { Tone } from '@/ui/badge';

/** Beside the word, never in its place. */
export const VERDICT_TONES: Readonly<Record<Verdict, Tone>> = {
  FAST: 'accent',
  SLOW: 'amber',
  SAME: 'neutral',
};
