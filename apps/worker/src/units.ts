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

/** `±0.4%`: half the width of an interval, relative to its middle value. */
export function intervalText(low: number, middle: number, high: number): string {
  return `±${((100 * Math.max(high - middle, middle - low)) / middle).toFixed(1)}%`;
}
