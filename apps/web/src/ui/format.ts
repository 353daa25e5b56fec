/** How quantities are written: SI prefixes, four significant digits, a narrow space before the unit. */

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

/** A time in ns as `850.0 ns`, `12.34 µs`, `1.234 ms` or `2.500 s`. */
export function formatNs(ns: number): string {
  // Rounded first: 999.96 ns is 1.000 µs, not 1,000 ns.
  const rounded = Number(ns.toPrecision(4));
  const [scale, unit] =
    rounded < 1e3
      ? [1, 'ns']
      : rounded < 1e6
        ? [1e3, 'µs']
        : rounded < 1e9
          ? [1e6, 'ms']
          : [1e9, 's'];
  return `${fourDigits.format(ns / scale)}${NARROW_SPACE}${unit}`;
}

/** A rate without its unit, which the column or axis names: `48,310`, `512.7`, `5.120`. */
export const formatRate = (value: number): string => fourDigits.format(value);

/** About how long something will take, s: `under 10 s`, `about 40 s`, `about 12 min`, `about 3.5 h`. */
export function formatEstimate(seconds: number): string {
  if (seconds < 10) return `under 10${NARROW_SPACE}s`;
  if (seconds < 90) return `about ${Math.round(seconds / 10) * 10}${NARROW_SPACE}s`;
  if (seconds < 90 * 60) return `about ${Math.round(seconds / 60)}${NARROW_SPACE}min`;
  return `about ${Number((seconds / 3600).toPrecision(2))}${NARROW_SPACE}h`;
}

/** Half width of an interval relative to its centre, the wider side: `±0.31 %`, `<0.1 %`. */
export function formatInterval(center: number, low: number, high: number): string {
  const percent = (Math.max(center - low, high - center) / center) * 100;
  // A clock's tick is about that wide: more digits would be of the clock, and none would be a lie.
  if (percent < 0.1) return `<0.1${NARROW_SPACE}%`;
  const digits = percent < 10 ? twoDigits.format(percent) : whole.format(percent);
  return `±${digits}${NARROW_SPACE}%`;
}

/** A ratio of times: `8.84×`. */
export const formatSpeedup = (ratio: number): string => `${threeDigits.format(ratio)}×`;

/** A share of one: `3.5 %`. */
export const formatPercent = (share: number): string =>
  `${twoDigits.format(share * 100)}${NARROW_SPACE}%`;

/** Operations for each byte moved: `85.3 FLOP/byte`, `0 FLOP/byte`. */
export const formatIntensity = (flopPerByte: number): string =>
  `${flopPerByte === 0 ? '0' : threeDigits.format(flopPerByte)}${NARROW_SPACE}FLOP/byte`;

/** Binary prefixes, as memory limits are powers of two: `48 KiB`, `2 GiB`. */
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

/** A moment in UTC, to the second: `2026-11-21 13:35:02 UTC`. */
export const formatMoment = (date: Date): string =>
  `${date.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
