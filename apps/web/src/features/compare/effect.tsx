import { Badge } from '@/ui/badge';
import { formatSpeedup } from '@/ui/format';
import { Notice } from '@/ui/notice';
import type { Comparison } from './comparison';
import { VERDICT_TONES } from './verdict-tones';

/** What a comparison comes to: the verdict, or why there is none, and how large the effect is. */
export function Effect({ of: comparison }: { of: Comparison }) {
  const { differences, high, low, of, ratio, verdict } = comparison;
  return (
    <>
      {of !== null && (
        <p className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
          {verdict && <Badge tone={VERDICT_TONES[verdict]}>{verdict}</Badge>}
          <span className="text-2xl font-semibold tracking-tight">{formatSpeedup(ratio)}</span>
          <span className="text-muted">
            the {of} of A, between {formatSpeedup(low)} and {formatSpeedup(high)} by the 95 %
            intervals
          </span>
        </p>
      )}
      {verdict === null && (
        <div className="mt-3">
          <Notice tone="amber">
            No verdict: A and B did different work, so their times cannot be compared.{' '}
            {of === 'rate'
              ? 'Their rates can be, and a size that suits a device better is part of that ratio.'
              : 'Their rates have different units, so they cannot be compared either.'}
          </Notice>
        </div>
      )}
      <p className="mt-2 text-[0.8125rem] text-muted">
        {differences.length === 0
          ? 'Nothing else differs: the same variant was measured twice.'
          : `They differ in: ${differences.join(', ')}.`}
      </p>
    </>
  );
}
