import {
  type ImportedMark,
  type MeasuredOutcome,
  outcomeReason,
  type ResultDetail,
  type RunShown,
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
        {outcome?.kind === 'incorrect' && <Remarks of={outcome.remarks} />}
      </Notice>
    );
  }
  const { highNs, lowNs, medianNs, n } = outcome.measurement.cold;
  const { roof } = outcome.measurement;
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
          value={roof ? formatOfPeak(roof.ns / medianNs) : '–'}
          unit={roof ? `of the ${roof.bound} peak` : 'not known'}
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
      <Remarks of={outcome.remarks} />
    </>
  );
}

/** What the compiler remarked on the kernel. */
const Remarks = ({ of: remarks = [] }: { of: MeasuredOutcome['remarks'] }) =>
  remarks.length > 0 && (
    <ul aria-label="Remarks of the compiler" className="mt-2 space-y-1 text-xs">
      {remarks.map(({ column, line, message }) => (
        <li key={`${line} ${column} ${message}`}>
          Line {line}: {message}
        </li>
      ))}
    </ul>
  );

const sentence = (reason: string): string =>
  `${reason.charAt(0).toUpperCase()}${reason.slice(1)}${/[.!?]$/.test(reason) ? '' : '.'}`;

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

const TONES: Readonly<Record<RunShown['kind'], Tone>> = {
  measured: 'accent',
  skipped: 'neutral',
  incorrect: 'rose',
  failed: 'amber',
  pending: 'neutral',
  running: 'accent',
};

export function OutcomeBadge({ kind }: { kind: RunShown['kind'] }) {
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
export function RoofText({ share, bound }: { share: number | null; bound: string | null }) {
  if (share === null) return '–';
  return (
    <>
      {formatOfPeak(share)}
      <span className="block text-xs text-muted">{bound}</span>
    </>
  );
}
