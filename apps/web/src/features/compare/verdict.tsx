import { type Contrast, toDecide } from '@tilemark/core';
import { TextLink } from '@/ui/button';
import { formatPercent, formatSpeedup } from '@/ui/format';
import { Badge, Notice, type Tone } from '@/ui/notice';
import type { Comparison, Measured } from './comparison';

/** On the page of two results, in words. */
const WORDS: Readonly<Record<Contrast['verdict'], string>> = {
  FAST: 'B is faster',
  SLOW: 'B is slower',
  SAME: 'B is as fast as A',
  UNDECIDED: 'undecided',
};

/** Beside a ratio. */
const BADGES: Readonly<Record<Contrast['verdict'], string>> = {
  FAST: 'faster',
  SLOW: 'slower',
  SAME: 'the same',
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
  <Badge tone={TONES[of]}>{BADGES[of]}</Badge>
);

const HINT = 'mt-2 text-[0.8125rem] text-muted';

/** What a comparison comes to: the verdict, or why there is none, and how large the effect is. */
export function Effect({ of: comparison, a, b }: { of: Comparison; a: Measured; b: Measured }) {
  const { differences, high, isRange, isWidened, low, of, ratio, repeat, verdict } = comparison;
  return (
    <>
      {of !== null && (
        <p className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
          {verdict && <Badge tone={TONES[verdict]}>{WORDS[verdict]}</Badge>}
          <span className="text-2xl font-semibold tracking-tight">{formatSpeedup(ratio)}</span>
          <span className="text-muted">
            B’s {of} as a multiple of A’s;{' '}
            {isRange
              ? `between ${formatSpeedup(low)} and ${formatSpeedup(high)} by the ranges of the samples`
              : `95% interval ${formatSpeedup(low)} to ${formatSpeedup(high)}`}
          </span>
        </p>
      )}
      {of !== null && isWidened && (
        <p className={HINT}>
          The interval also counts how much another run’s median would differ (
          <TextLink href="/docs/measure#when-a-series-ends">why</TextLink>): a standard deviation of{' '}
          {[...new Set([a, b].map(({ spread }) => formatPercent(spread.relative)))].join(' and ')}.
        </p>
      )}
      {repeat === 'unexplained' && (
        <Notice tone="amber" className="mt-3">
          No verdict: A and B are two runs of one variant. They differ by more than their intervals
          allow, so other differences of this size may be spread as well.
        </Notice>
      )}
      {repeat === 'explained' && (
        <p className={HINT}>
          A and B are two runs of one variant. The intervals explain their difference.
        </p>
      )}
      {verdict === null && repeat === null && (
        <Notice tone="amber" className="mt-3">
          No verdict: A and B did different work, so{' '}
          {of === 'rate' ? 'only their rates can be compared.' : 'nothing of them can be compared.'}
        </Notice>
      )}
      {isRange && (
        <p className={HINT}>
          A side has too few independent samples for a 95% interval, so nothing is decided.
        </p>
      )}
      {verdict === 'UNDECIDED' && !isRange && (
        <p className={HINT}>
          The interval reaches inside ±0.5% and outside. {toDecide({ ...comparison, verdict })}
        </p>
      )}
      {repeat === null && <p className={HINT}>They differ in: {differences.join(', ')}.</p>}
    </>
  );
}
