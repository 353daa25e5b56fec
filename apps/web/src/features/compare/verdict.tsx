import { type Contrast, SPREAD_PRIOR, toDecide } from '@tilemark/core';
import { TextLink } from '@/ui/button';
import { formatPercent, formatSpeedup } from '@/ui/format';
import { Badge, Notice, type Tone } from '@/ui/notice';
import type { Comparison } from './comparison';

/** On the page of two results, in words. */
const WORDS: Readonly<Record<Contrast['verdict'], string>> = {
  FAST: 'B is faster',
  SLOW: 'B is slower',
  SAME: 'B is as fast as A',
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
  <Badge tone={TONES[of]}>{of}</Badge>
);

/** What a comparison comes to: the verdict, or why there is none, and how large the effect is. */
export function Effect({ of: comparison }: { of: Comparison }) {
  const { differences, high, isWidened, low, of, ratio, verdict } = comparison;
  return (
    <>
      {of !== null && (
        <p className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
          {verdict && <Badge tone={TONES[verdict]}>{WORDS[verdict]}</Badge>}
          <span className="text-2xl font-semibold tracking-tight">{formatSpeedup(ratio)}</span>
          <span className="text-muted">
            B’s {of} as a multiple of A’s; 95% interval {formatSpeedup(low)} to{' '}
            {formatSpeedup(high)}
          </span>
        </p>
      )}
      {of !== null && isWidened && (
        <p className="mt-2 text-[0.8125rem] text-muted">
          The interval is wider than those of the two runs below: theirs say how well each median is
          known, and this one also contains how much the median of another run would differ, for
          which a standard deviation of {formatPercent(SPREAD_PRIOR.relative)} is taken (
          <TextLink href="/docs/measurement#when-a-series-ends">why</TextLink>).
        </p>
      )}
      {verdict === null && (
        <Notice tone="amber" className="mt-3">
          No verdict: A and B did different work, so their times cannot be compared.{' '}
          {of === 'rate'
            ? 'Their rates can be, and a size that suits a device better is part of that ratio.'
            : 'Their rates have different units, so they cannot be compared either.'}
        </Notice>
      )}
      {verdict === 'UNDECIDED' && (
        <p className="mt-2 text-[0.8125rem] text-muted">
          The interval of their ratio reaches both inside ±0.5%, where the two count as the same,
          and outside. {toDecide({ ...comparison, verdict })}
        </p>
      )}
      <p className="mt-2 text-[0.8125rem] text-muted">
        {differences.length === 0
          ? 'Nothing else differs: the same variant was measured twice.'
          : `They differ in: ${differences.join(', ')}.`}
      </p>
    </>
  );
}
