import type { MetricUnit } from '@tilemark/core';

export { intervalText as formatInterval } from '@tilemark/core';

/** Quantities as text: SI prefixes, four significant digits, a narrow space before the unit, none before `%`. */

const NARROW_SPACE = '\u202f';

const significant = (digits: number) =>
  new Intl.NumberFormat('en', {
    minimumSignificantDigits: digits,
    maximumSignificantDigits: digits,
  });
const fourDigits = significant(4);
const threeDigits = significant(3);
const twoDigits = significant(2);
const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });

/** `1,234` */
export const formatCount = (count: number): string => whole.format(count);

/** `1 run`, `1,234 runs` */
export const plural = (count: number, noun: string): string =>
  `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;

/** ns, µs, ms or s for a time, and how many ns that is. */
export function unitFor(ns: number): { readonly scale: number; readonly unit: string } {
  if (ns < 1e3) return { scale: 1, unit: 'ns' };
  if (ns < 1e6) return { scale: 1e3, unit: 'µs' };
  if (ns < 1e9) return { scale: 1e6, unit: 'ms' };
  return { scale: 1e9, unit: 's' };
}

/** A shape as people write it: `3072 × 4096`. */
export const formatShape = (shape: string): string => shape.replaceAll('x', ' × ');

/** A time in ns as `850.0 ns`, `12.34 µs`, `1.234 ms` or `2.500 s`. */
export function formatNs(ns: number): string {
  // Rounded first: 999.96 ns is 1.000 µs, not 1,000 ns.
  const { scale, unit } = unitFor(Number(ns.toPrecision(4)));
  return `${fourDigits.format(ns / scale)}${NARROW_SPACE}${unit}`;
}

/** A rate without its unit, which the column or axis names: `48,310`, `512.7`, `5.120`. */
export const formatRate = (value: number): string => fourDigits.format(value);
export const rateText = ({ value, unit }: { readonly value: number; readonly unit: string }) =>
  `${formatRate(value)} ${unit}`;

/** A rough duration, from seconds: `under 10 s`, `about 40 s`, `about 12 min`, `about 3.5 h`. */
export function formatEstimate(seconds: number): string {
  if (seconds < 10) return `under 10${NARROW_SPACE}s`;
  if (seconds < 90) return `about ${Math.round(seconds / 10) * 10}${NARROW_SPACE}s`;
  if (seconds < 90 * 60) return `about ${Math.round(seconds / 60)}${NARROW_SPACE}min`;
  return `about ${Number((seconds / 3600).toPrecision(2))}${NARROW_SPACE}h`;
}

const truncated = (digits: number) =>
  new Intl.NumberFormat('en', { maximumSignificantDigits: digits, roundingMode: 'trunc' });

/** The figure of a metric by its unit; the unit of a rate is the op's and stands beside it. */
export function formatMetric(unit: MetricUnit, digits: number, value: number | string): string {
  if (typeof value === 'string') return value;
  switch (unit) {
    case 'time':
      return formatNs(value);
    case 'share':
      return formatPercent(value);
    case 'count':
      // Independent samples are parts of one, and 5.9 are not the 6 that an interval takes.
      return Number.isInteger(value) ? formatCount(value) : truncated(digits).format(value);
    case 'rate':
    case 'text':
      return formatRate(value);
    default:
      return `${value === 0 ? '0' : significant(digits).format(value)}${NARROW_SPACE}${unit}`;
  }
}

/** A ratio of times: `8.84×`. */
export const formatSpeedup = (ratio: number): string => `${threeDigits.format(ratio)}×`;

/** What times not known well allow of a ratio: `2.13× to 2.99×`, `0.50× to 1.77×, undecided`. */
export const endsText = ({ high, low }: { readonly low: number; readonly high: number }): string =>
  `${formatSpeedup(low)} to ${formatSpeedup(high)}${low < 1 && high > 1 ? ', undecided' : ''}`;

/** A ratio with its 95% interval: `2.56× (2.13× to 2.99×)`. */
export const ratioText = ({
  high,
  low,
  ratio,
}: {
  readonly ratio: number;
  readonly low: number;
  readonly high: number;
}): string => `${formatSpeedup(ratio)} (${formatSpeedup(low)} to ${formatSpeedup(high)})`;

/** A share of one: `3.5%`. */
export const formatPercent = (share: number): string => `${twoDigits.format(share * 100)}%`;

/**
 * What a device did of its peak: `73%`. Beyond it two digits would hide by how much: `103%`, whose
 * reason stands beside it.
 */
export const formatOfPeak = (share: number): string =>
  share > 1 ? `${formatCount(100 * share)}%` : formatPercent(share);

/** Operations per byte moved: `85.3 FLOP/byte`, `0 FLOP/byte`, of integers `85.3 op/byte`. */
export const formatIntensity = (flopPerByte: number, isInteger: boolean): string =>
  `${flopPerByte === 0 ? '0' : threeDigits.format(flopPerByte)}${NARROW_SPACE}${intensityUnit(isInteger)}`;
export const intensityUnit = (isInteger: boolean): string => `${isInteger ? 'op' : 'FLOP'}/byte`;

/** A duration that was measured, from seconds: `4 s`, `12 min`, `3.5 h`. */
export function formatDuration(seconds: number): string {
  // Below that a whole minute is off by too much.
  if (seconds < 120) return `${Math.round(seconds)}${NARROW_SPACE}s`;
  if (seconds < 90 * 60) return `${Math.round(seconds / 60)}${NARROW_SPACE}min`;
  return `${Number((seconds / 3600).toPrecision(2))}${NARROW_SPACE}h`;
}

/** Binary prefixes, since memory limits are powers of two: `48 KiB`, `2 GiB`. */
export function formatBytes(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  const power = bytes < 1 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), units.length - 1);
  const value = bytes / 1024 ** power;
  return `${Number(value.toPrecision(3))}${NARROW_SPACE}${units[power]}`;
}

/** Time since a date, in the largest unit that fits: `just now`, `5 min`, `3 h`, `2 d`. */
export function formatAge(date: Date, now: Date): string {
  const minutes = Math.floor((now.getTime() - date.getTime()) / 60_000);
  if (minutes < 1) return 'just now';
  if (minutes < 60) return `${minutes}${NARROW_SPACE}min`;
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)}${NARROW_SPACE}h`;
  return `${formatCount(Math.floor(minutes / (24 * 60)))}${NARROW_SPACE}d`;
}

/** The days of dates in UTC: `2026-11-21`, `2026-11-21 to 2026-11-23`. */
export function formatDays(dates: readonly string[]): string {
  const days = dates.map((date) => date.slice(0, 10)).toSorted();
  return [...new Set([days[0], days.at(-1)])].join(' to ');
}

/** A moment in UTC, to the second: `2026-11-21 13:35:02 UTC`. */
export const formatMoment = (date: Date): string =>
  `${date.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
