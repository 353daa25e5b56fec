import type { Contrast } from '@tilemark/core';
import { Badge, type Tone } from '@/ui/notice';

const WORDS: Readonly<Record<Contrast['verdict'], string>> = {
  FAST: 'faster',
  SLOW: 'slower',
  SAME: 'as fast',
  UNDECIDED: 'undecided',
};

/** Beside the word, never in its place. */
const TONES: Readonly<Record<Contrast['verdict'], Tone>> = {
  FAST: 'accent',
  SLOW: 'amber',
  SAME: 'neutral',
  UNDECIDED: 'neutral',
};

export const VerdictBadge = ({ of }: { of: Contrast['verdict'] }) => (
  <Badge tone={TONES[of]}>{WORDS[of]}</Badge>
);
