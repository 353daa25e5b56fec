import { halfWidth, KNOWN_WIDTH, type Series } from './summary';

/** Fewest independent samples of an interval: below, none reaches 95%, and their range stands for it. */
export const FEWEST_OF_INTERVAL = 6;

/** How many samples a median has, and how many independent ones they are worth, where known. */
interface Sampled {
  readonly n: number;
  readonly independent?: number | null | undefined;
}

export const hasInterval = ({ n, independent }: Sampled): boolean =>
  (independent ?? n) >= FEWEST_OF_INTERVAL;

/**
 * Whether a series says where its median is: its samples depend so much on those before that what
 * they show of the device may be one of its states, unless all of them lie within so much of it.
 */
export const isSettled = (series: Series, interval: number): boolean =>
  series.n < FEWEST_OF_INTERVAL || hasInterval(series) || halfWidth(series) <= interval;

/** The kind of interval beside the medians of some runs, for a caption. */
export function intervalsText(results: readonly Sampled[]): string {
  const isInterval = results.map(hasInterval);
  if (!isInterval.includes(false)) return '95% intervals within the run';
  const text = isInterval.includes(true)
    ? '95% intervals within the run, or ranges where there are fewer than six independent samples'
    : 'ranges, as fewer than six independent samples have no 95% interval';
  return results.some(({ n }) => n === 1) ? `${text}; one sample has neither` : text;
}

/** The kind of interval beside some medians, for the heading of a column. */
export function intervalsHead(results: readonly Sampled[]): (typeof INTERVAL_HEADS)[number] {
  const isInterval = results.map(hasInterval);
  if (!isInterval.includes(false)) return '95%';
  return isInterval.includes(true) ? '95% or range' : 'range';
}

export const INTERVAL_HEADS = ['95%', '95% or range', 'range'] as const;

/**
 * An interval relative to its median, to two digits: `±0.31%`, `±<0.1%`, its wider side. From 2% on,
 * where a median is not known and its interval is no detail, both sides unless they read alike:
 * `−23% +19%`.
 *
 * @param samples of the median, where known: a single one has no spread to print
 */
export function intervalText(
  medianNs: number,
  lowNs: number,
  highNs: number,
  samples?: number,
): string {
  if (samples === 1) return 'one sample';
  const part = halfWidth({ medianNs, lowNs, highNs });
  // About the width of a clock tick: more digits would describe the clock.
  if (part < 0.001) return '±<0.1%';
  const [below, above] = [sideText(1 - lowNs / medianNs), sideText(highNs / medianNs - 1)];
  return part < KNOWN_WIDTH || below === above ? `±${sideText(part)}` : `−${below} +${above}`;
}

const twoDigits = new Intl.NumberFormat('en', {
  minimumSignificantDigits: 2,
  maximumSignificantDigits: 2,
});
const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });

const sideText = (part: number): string =>
  `${part < 0.001 ? '0' : (part < 0.1 ? twoDigits : whole).format(100 * part)}%`;
