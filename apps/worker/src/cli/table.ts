import Table from 'cli-table3';

/** A table for a terminal, without colours and without rules between rows. */
export function table(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  alignments: readonly ('left' | 'right')[] = [],
): string {
  const drawn = new Table({
    head: [...head],
    colAligns: [...alignments],
    style: { head: [], border: [] },
    chars: { mid: '', 'mid-mid': '', 'left-mid': '', 'right-mid': '' },
  });
  for (const row of rows) drawn.push([...row]);
  return drawn.toString();
}

const TIME_UNITS = [
  ['s', 1e9],
  ['ms', 1e6],
  ['µs', 1e3],
  ['ns', 1],
] as const;

/** `1.234 ms`: four significant digits in the largest unit that keeps the number at or above 1. */
export function timeText(ns: number): string {
  const [unit, factor] = TIME_UNITS.find(([, size]) => ns >= size) ?? ['ns', 1];
  return `${significant(ns / factor)} ${unit}`;
}

/** Four significant digits, without an exponent for what people measure. */
export function significant(value: number): string {
  if (value === 0 || !Number.isFinite(value)) return String(value);
  const digits = 3 - Math.floor(Math.log10(Math.abs(value)));
  return value.toFixed(Math.min(Math.max(digits, 0), 20));
}

/**
 * `±0.41%`: half the width of an interval, relative to its middle value; both sides where one is
 * several times the other, as the range of few samples may be: `-2.0% +318%`.
 */
export function intervalText(low: number, middle: number, high: number): string {
  const [below, above] = [(middle - low) / middle, (high - middle) / middle];
  const [narrow, wide] = below < above ? [below, above] : [above, below];
  return wide >= 0.01 && wide > 3 * narrow
    ? `-${percentText(below)} +${percentText(above)}`
    : `±${percentText(wide)}`;
}

/** `12%`, `3.5%`, `0.02%`: two significant digits of a share of one; `<0.01%` below that. */
export function percentText(share: number): string {
  const percent = 100 * share;
  if (percent > 0 && percent < 0.01) return '<0.01%';
  if (percent >= 9.95) return `${percent.toFixed(0)}%`;
  return `${percent.toFixed(percent >= 0.995 ? 1 : 2)}%`;
}
