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

/** The deviation that widens the interval of a side, and what it rests on. */
const spreadText = ({ spread: { isShown, relative } }: Measured, side = ''): string =>
  `${formatPercent(relative)}${side}, ${
    isShown
      ? 'by the repeated runs of its device'
      : 'the default for its class of devices, as none of its runs are repeated'
  }`;

const spreadsText = (a: Measured, b: Measured): string =>
  spreadText(a) === spreadText(b)
    ? spreadText(a)
    : `${spreadText(a, ' for A')}, and ${spreadText(b, ' for B')}`;

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
          That contains what is uncertain in each run, and how much another run’s median would
          differ. The standard deviation taken for that is {spreadsText(a, b)} (
          <TextLink href="/docs/measure#when-a-series-ends">why</TextLink>).
        </p>
      )}
      {repeat === 'unexplained' && (
        <Notice tone="amber" className="mt-3">
          No verdict: A and B are two runs of one variant, so neither is faster. They differ by more
          than their intervals allow: the spread between runs of this device is larger than the
          interval takes it to be, and other differences of this size may be spread as well.
        </Notice>
      )}
      {repeat === 'explained' && (
        <p className={HINT}>
          A and B are two runs of one variant. The intervals explain their difference.
        </p>
      )}
      {verdict === null && repeat === null && (
        <Notice tone="amber" className="mt-3">
          No verdict: A and B did different work, so their times cannot be compared.{' '}
          {of === 'rate'
            ? 'Their rates can be, and a size that suits a device better is part of that ratio.'
            : 'Their rates have different units, so they cannot be compared either.'}
        </Notice>
      )}
      {isRange && (
        <p className={HINT}>
          A side has too few independent samples for a 95% interval, so nothing is decided.
        </p>
      )}
      {verdict === 'UNDECIDED' && !isRange && (
        <p className={HINT}>
          The interval of their ratio reaches both inside ±0.5%, where the two count as the same,
          and outside. {toDecide({ ...comparison, verdict })}
        </p>
      )}
      {repeat === null && <p className={HINT}>They differ in: {differences.join(', ')}.</p>}
    </>
  );
}
