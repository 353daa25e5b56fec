import {
  type ImportedMark,
  KNOWN_WIDTH,
  type Measurement,
  outcomeReason,
  type PeakShare,
  POLICIES,
  peakShare,
  type ResultDetail,
  type RunView,
} from '@tilemark/core';
import { arithmeticIntensity, DTYPES } from '@tilemark/kernels';
import {
  formatIntensity,
  formatInterval,
  formatMoment,
  formatNs,
  formatOfPeak,
  formatRate,
} from '@/ui/format';
import { Badge, Notice, type Tone } from '@/ui/notice';
import { stopText } from './measurement';
import { boundText, overPeak } from './scale';

const PEAK_WORDS: Readonly<Record<PeakShare['bound'], string>> = {
  compute: 'of the compute peak',
  bandwidth: 'of the bandwidth peak',
  'by data sheet': 'of the data sheet’s peak',
};

/** The rate and time, or why there are none. */
export function Headline({ result }: { result: ResultDetail }) {
  const { outcome, problem, rate } = result;
  const reason = outcomeReason(outcome);
  if (outcome?.kind !== 'measured') {
    // A compiler quotes the line and points at a column of it.
    const [said, ...quoted] = (reason ?? '').split('\n');
    return (
      <Notice tone={outcome?.kind === 'incorrect' ? 'rose' : 'amber'}>
        <p className="break-words">
          <span className="font-medium">{outcome?.kind ?? 'pending'}</span>: {said}
        </p>
        {quoted.length > 0 && (
          <p className="font-mono text-xs break-words whitespace-pre-wrap">{quoted.join('\n')}</p>
        )}
        {outcome?.kind === 'incorrect' && (
          <p className="mt-1">
            The error bound of this element is {outcome.worst.bound.toPrecision(3)}. Incorrect
            results are kept but never ranked.
          </p>
        )}
      </Notice>
    );
  }
  const { highNs, lowNs, medianNs, n } = outcome.measurement.cold;
  const { roof } = outcome.measurement;
  const peak = peakShare({ device: result.device, problem, medianNs, roof });
  const flopPerByte = arithmeticIntensity(problem);
  return (
    <>
      <dl className="flex flex-wrap gap-x-10 gap-y-4">
        <Figure
          name="Rate (higher is better)"
          value={rate ? formatRate(rate.value) : '–'}
          unit={rate?.unit ?? ''}
        />
        <Figure
          name="Median time"
          value={formatNs(medianNs)}
          unit={formatInterval(medianNs, lowNs, highNs, n)}
        />
        <Figure
          name="% of peak (higher is better)"
          value={peak ? formatOfPeak(peak.share) : '–'}
          unit={
            peak
              ? [PEAK_WORDS[peak.bound], overPeak(peak)].filter(Boolean).join(': ')
              : result.device.class === 'cpu'
                ? 'no probe measures the peak of a host CPU'
                : !POLICIES[result.policy].rankable
                  ? 'quick runs have no % of peak'
                  : 'the peak that bounds it is not known'
          }
        />
        {flopPerByte > 0 && (
          <Figure
            name="Arithmetic intensity"
            value={formatIntensity(flopPerByte, DTYPES[problem.dtype].isInteger)}
            unit=""
          />
        )}
      </dl>
      {reason && (
        <Notice tone="amber" className="mt-4">
          {sentence(reason)}
        </Notice>
      )}
      {!reason && <Imprecise measurement={outcome.measurement} />}
      {result.outlier && (
        <Notice tone="amber" className="mt-4">
          Unusually {result.outlier.deviations < 0 ? 'fast' : 'slow'}:{' '}
          {Math.abs(result.outlier.deviations).toFixed(0)} median absolute deviations from the{' '}
          {result.outlier.others} other results for the same run on this device and driver (median{' '}
          {formatNs(result.outlier.medianNs)}).
        </Notice>
      )}
    </>
  );
}

const sentence = (reason: string): string =>
  `${reason.charAt(0).toUpperCase()}${reason.slice(1)}${/[.!?]$/.test(reason) ? '' : '.'}`;

/** A ranked result whose median is hardly known, and what would narrow it. */
function Imprecise({ measurement }: { measurement: Measurement }) {
  const { highNs, lowNs, medianNs } = measurement.cold;
  if (Math.max(medianNs - lowNs, highNs - medianNs) <= KNOWN_WIDTH * medianNs) return null;
  return (
    <Notice tone="amber" className="mt-4">
      Imprecise: the median is known only to {formatInterval(medianNs, lowNs, highNs)} (
      {stopText(measurement)}).
    </Notice>
  );
}

function Figure({ name, value, unit }: { name: string; value: string; unit: string }) {
  const [figure, ownUnit] = value.split('\u202f');
  return (
    <div>
      <dt className="text-xs text-muted">{name}</dt>
      <dd className="mt-0.5 text-2xl font-semibold tracking-tight">
        {figure}{' '}
        <span className="text-sm font-normal tracking-normal text-muted">
          {[ownUnit, unit].filter(Boolean).join(' ')}
        </span>
      </dd>
    </div>
  );
}

const TONES: Readonly<Record<RunView['kind'], Tone>> = {
  measured: 'accent',
  skipped: 'neutral',
  incorrect: 'rose',
  failed: 'amber',
  pending: 'neutral',
  running: 'accent',
};

export function OutcomeBadge({ kind }: { kind: RunView['kind'] }) {
  return <Badge tone={TONES[kind]}>{kind}</Badge>;
}

/** Marks a result imported from a file; nothing for one measured by this grid. */
export function ImportedBadge({ of }: { of: ImportedMark | null | undefined }) {
  if (!of) return null;
  const whole = `imported by ${of.by}, ${formatMoment(new Date(of.at))}`;
  return (
    <span title={whole}>
      <Badge tone="amber">imported</Badge>
      <span className="sr-only">, {whole}</span>
    </span>
  );
}

/** How near its roof a result came, and which roof that is. */
export function RoofText({ of }: { of: PeakShare | null }) {
  if (of === null) return '–';
  return (
    <>
      {formatOfPeak(of.share)}
      <span
        className={`block text-xs whitespace-normal text-muted ${of.share > 1 ? 'min-w-40' : 'min-w-19'}`}
      >
        {boundText(of)}
      </span>
    </>
  );
}
