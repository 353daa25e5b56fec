import { type Contrast, toDecide } from '@tilemark/core';
import { formatSpeedup } from '@/ui/format';
import { Badge, Notice, type Tone } from '@/ui/notice';
import type { Comparison } from './comparison';

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

const HINT = 'mt-2 text-[0.8125rem] text-muted';

/** What a comparison comes to: the verdict, or why there is none, and how large the effect is. */
export function Effect({ of: comparison }: { of: Comparison }) {
  const { differences, high, isRange, isRepeat, low, of, ratio, verdict } = comparison;
  return (
    <>
      {of !== null && (
        <p className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
          {verdict && (
            <span>
              B is <VerdictBadge of={verdict} />
            </span>
          )}
          <span className="text-2xl font-semibold tracking-tight">{formatSpeedup(ratio)}</span>
          <span className="text-muted">
            B’s {of} as a multiple of A’s;{' '}
            {isRange
              ? `between ${formatSpeedup(low)} and ${formatSpeedup(high)} by the ranges of the samples`
              : `95% interval ${formatSpeedup(low)} to ${formatSpeedup(high)}`}
          </span>
        </p>
      )}
      {isRepeat && <p className={HINT}>No verdict: A and B are two runs of one variant.</p>}
      {verdict === null && !isRepeat && (
        <Notice tone="amber" className="mt-3">
          No verdict: A and B did different work, so{' '}
          {of === 'rate' ? 'only their rates can be compared.' : 'nothing of them can be compared.'}
        </Notice>
      )}
      {verdict === 'UNDECIDED' && (
        <p className={HINT}>
          {isRange
            ? 'A side has too few independent samples for a 95% interval.'
            : `The interval reaches inside ±0.5% and outside. ${toDecide({ ...comparison, verdict })}`}
        </p>
      )}
      {!isRepeat && <p className={HINT}>They differ in: {differences.join(', ')}.</p>}
    </>
  );
}
