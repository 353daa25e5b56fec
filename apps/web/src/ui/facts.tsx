import { hasInterval } from '@tilemark/core';
import type { ReactNode } from 'react';
import {
  formatAge,
  formatDays,
  formatInterval,
  formatMoment,
  formatNs,
  formatRate,
} from './format';

export interface Fact {
  readonly name: string;
  readonly value: ReactNode;
  /** What the name means, if unclear. */
  readonly about?: string;
}

/** The left cell of a full last row has no line below it either. */
const LAST_OF_TWO = 'sm:[&:nth-last-child(2):nth-child(odd)]:border-b-0';

/** Names and values, like a data sheet. */
export function Facts({ facts, columns = 1 }: { facts: readonly Fact[]; columns?: 1 | 2 }) {
  return (
    <dl
      className={`grid gap-x-8 px-4 py-1 text-[0.8125rem] ${columns === 2 ? 'sm:grid-cols-2' : ''}`}
    >
      {facts.map(({ name, value, about }) => (
        <div
          key={name}
          className={`flex min-w-0 items-baseline justify-between gap-4 border-b border-line py-1.5 last:border-b-0 ${columns === 2 ? LAST_OF_TWO : ''}`}
        >
          <dt className={about ? 'max-w-1/2 text-muted' : 'shrink-0 text-muted'}>
            {name}
            {about && <span className="block text-2xs">{about}</span>}
          </dt>
          <dd className="min-w-0 text-right wrap-anywhere">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Time since, with the exact moment on hover. Rendered on the server, so `now` is the request's. */
export function Ago({ date }: { date: string }) {
  const moment = new Date(date);
  const age = formatAge(moment, new Date());
  return (
    <time
      dateTime={date}
      title={formatMoment(moment)}
      className="whitespace-nowrap"
      suppressHydrationWarning
    >
      {age === 'just now' ? age : `${age} ago`}
    </time>
  );
}

/** The day, with the exact moment on hover. */
export function Day({ date }: { date: string }) {
  return (
    <time dateTime={date} title={formatMoment(new Date(date))} className="whitespace-nowrap">
      {formatDays([date])}
    </time>
  );
}

export function Moment({ date }: { date: string }) {
  return (
    <time dateTime={date} className="whitespace-nowrap">
      {formatMoment(new Date(date))}
    </time>
  );
}

export function Rate({ of }: { of: { readonly value: number; readonly unit: string } }) {
  return (
    <>
      <span className="font-medium">{formatRate(of.value)}</span>{' '}
      <span className="text-xs text-muted">{of.unit}</span>
    </>
  );
}

/** What the interval of a board's figure is. */
export const BETWEEN_RUNS =
  '95% interval, or the range of too few samples, with the spread between runs';

/** What stands beside the median of one run. */
function aboutOne(samples?: number, independent?: number | null): string {
  if (samples === undefined || hasInterval({ n: samples, independent })) {
    return '95% interval of this run’s median';
  }
  return samples === 1
    ? 'One sample has neither an interval nor a range'
    : 'Range of the samples, of which too few are independent for a 95% interval';
}

/** A median time with the half width of its 95% interval. */
export function Timing({
  of: { highNs, independent, lowNs, medianNs, samples },
  about,
}: {
  of: {
    readonly medianNs: number;
    readonly lowNs: number;
    readonly highNs: number;
    /** Absent where it is not of one run. */
    readonly samples?: number;
    readonly independent?: number | null | undefined;
  };
  /** What the interval is; absent: that of one run. */
  about?: string;
}) {
  return (
    <>
      {formatNs(medianNs)}{' '}
      <span className="text-xs text-muted" title={about ?? aboutOne(samples, independent)}>
        {formatInterval(medianNs, lowNs, highNs, samples)}
      </span>
    </>
  );
}
