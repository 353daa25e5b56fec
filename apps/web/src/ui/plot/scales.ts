/**
 * The scale of a log axis and its ticks, drawn by separate marks:
 * `Plot.axisY(ticks, { text: format })`. By itself, Plot lets d3 drop labels of a log scale,
 * whatever tick format it is given.
 */
interface LogAxis {
  readonly scale: { readonly type: 'log'; readonly domain: number[] };
  readonly ticks: number[];
  readonly format: (value: number) => string;
}

/** From this ratio of the ends on, only decades are marked; at most so many of them. */
const DECADES_FROM = 300;
const MOST_DECADES = 7;

/** From this ratio of the largest value to the smallest on, a few would fill a linear axis. */
const WIDE = 8;

export const isWide = (values: readonly number[]): boolean =>
  Math.max(...values) > WIDE * Math.min(...values);

const grouped = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });

/**
 * A log axis around positive values. It begins and ends at a labelled tick: at 1, 2 or 5 of a
 * decade if few decades are shown, else at whole decades, else at every second or third one.
 *
 * @param format of a tick's value; by default plain digits (`0.2`, `20,000`)
 */
export function logAxis(
  values: readonly number[],
  format: (value: number) => string = (value) => grouped.format(value),
): LogAxis {
  const low = Math.min(...values);
  const high = Math.max(...values);
  const mantissas = high / low < DECADES_FROM ? [1, 2, 5] : [1];
  // An end that misses a tick by a rounding error lies on it.
  const first = Math.floor(Math.log10(low) + 1e-9);
  const last = Math.ceil(Math.log10(high) - 1e-9);
  const step = Math.max(1, Math.ceil((last - first) / MOST_DECADES));
  const candidates = Array.from({ length: last + step - first + 1 }, (_, index) => first + index)
    .filter((power) => (power - first) % step === 0)
    .flatMap((power) => mantissas.map((mantissa) => Number(`${mantissa}e${power}`)));
  const from = candidates.findLast((tick) => tick <= low * (1 + 1e-9)) ?? low;
  const to = candidates.find((tick) => tick >= high * (1 - 1e-9)) ?? high;
  // A single tick is not an axis: extend it to the next tick.
  const domain = from === to ? [from, candidates.find((tick) => tick > to) ?? to * 2] : [from, to];
  const ticks = candidates.filter((tick) => tick >= from && tick <= (domain[1] ?? to));
  return { scale: { type: 'log', domain }, ticks, format };
}

/** Of a chart's letters, px: a wide chart is read on a slide too. */
export const fontPx = (width: number): number => (width < 640 ? 11 : 14);

/** Colours of lines, in order; each has a contrast of 3:1 in both schemes. */
export const COLORS = [
  'var(--accent)',
  'var(--amber)',
  'var(--violet)',
  'var(--rose)',
  'var(--blue)',
  'var(--moss)',
  'var(--clay)',
  'var(--orchid)',
  'var(--steel)',
  'var(--muted)',
] as const;

export const SYMBOLS = ['circle', 'square', 'triangle', 'diamond', 'cross', 'star'] as const;

/** How the series of a page look in all its charts. */
export interface SeriesStyles {
  color(name: string): string;
  symbol(name: string): (typeof SYMBOLS)[number];
}

/**
 * Styles by name, in the order given: a name has one colour in all charts, and names share
 * colours only when there are more names than colours. Unknown names get the last style.
 */
export function seriesStyles(names: readonly string[]): SeriesStyles {
  const places = new Map([...new Set(names)].map((name, place) => [name, place]));
  const of = <T>(values: readonly [T, ...T[]], name: string): T =>
    values[(places.get(name) ?? values.length - 1) % values.length] ?? values[0];
  return {
    color: (name) => of(COLORS, name),
    symbol: (name) => of(SYMBOLS, name),
  };
}

/** The most that a cell is filled with the accent: text on it keeps 4.5:1 in both colour schemes. */
const STRONGEST = 0.38;

/** The colour of a cell that has this part of the best. */
export const shareFill = (part: number | null): string | undefined =>
  part === null
    ? undefined
    : `color-mix(in oklab, var(--accent) ${Math.round(100 * STRONGEST * part)}%, transparent)`;
