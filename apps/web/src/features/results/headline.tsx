import { outcomeReason, type ResultDetail } from '@tilemark/core';
import { formatIntensity, formatInterval, formatNs, formatPercent, formatRate } from '@/ui/format';
import { Notice } from '@/ui/notice';
import { arithmeticIntensity, roofShare } from './roof';

/** The number, or the reason there is none. */
export function Headline({ result }: { result: ResultDetail }) {
  const { outcome, problem, rate } = result;
  const reason = outcomeReason(outcome);
  if (outcome?.kind !== 'measured') {
    return (
      <Notice tone={outcome?.kind === 'incorrect' ? 'rose' : 'amber'}>
        <p className="break-words whitespace-pre-wrap">
          <span className="font-medium">{outcome?.kind ?? 'pending'}</span>: {reason}
        </p>
        {outcome?.kind === 'incorrect' && (
          <p className="mt-1">
            The error bound of this element is {outcome.worst.bound.toPrecision(3)}. Incorrect
            results are kept and never ranked.
          </p>
        )}
      </Notice>
    );
  }
  const { highNs, lowNs, medianNs } = outcome.measurement.cold;
  const roof = roofShare(outcome.measurement.roof, medianNs);
  return (
    <>
      <dl className="flex flex-wrap gap-x-10 gap-y-4">
        <Figure
          name="Rate, higher is better"
          value={rate ? formatRate(rate.value) : '–'}
          unit={rate?.unit ?? ''}
        />
        <Figure
          name="Median time"
          value={formatNs(medianNs)}
          unit={formatInterval(medianNs, lowNs, highNs)}
        />
        <Figure
          name="Of the roof, higher is better"
          value={roof ? formatPercent(roof.share) : '–'}
          unit={roof ? `bound by ${roof.bound}` : 'not probed for this run'}
        />
        <Figure
          name="Arithmetic intensity"
          value={formatIntensity(arithmeticIntensity(problem))}
          unit=""
        />
      </dl>
      {reason && (
        <div className="mt-4">
          <Notice tone="amber">{reason}</Notice>
        </div>
      )}
      {result.outlier && (
        <div className="mt-4">
          <Notice tone="amber">
            Unusual: {result.outlier.deviations < 0 ? 'faster' : 'slower'} than{' '}
            {result.outlier.others} other results of the same run on this device and driver, whose
            median is {formatNs(result.outlier.medianNs)}, by{' '}
            {Math.abs(result.outlier.deviations).toFixed(0)} of their median absolute deviations.
          </Notice>
        </div>
      )}
    </>
  );
}

function Figure({ name, value, unit }: { name: string; value: string; unit: string }) {
  return (
    <div>
      <dt className="text-xs text-muted">{name}</dt>
      <dd className="mt-0.5 text-2xl font-semibold tracking-tight">
        {value} <span className="text-sm font-normal tracking-normal text-muted">{unit}</span>
      </dd>
    </div>
  );
}
