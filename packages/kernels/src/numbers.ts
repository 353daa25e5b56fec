/** Workgroups of `size` that cover `length`. */
export function ceilDiv(length: number, size: number): number {
  return Math.ceil(length / size);
}

/** Rows of an output: `first` inclusive, `end` exclusive. */
export interface Rows {
  readonly first: number;
  readonly end: number;
}

/** Splits `rows` rows into at most `parts` runs of nearly equal length. */
export function splitRows(rows: number, parts: number): Rows[] {
  const count = Math.min(rows, parts);
  const edge = (part: number) => Math.floor((part * rows) / count);
  return Array.from({ length: count }, (_, part) => ({ first: edge(part), end: edge(part + 1) }));
}

/**
 * Mixes 32 bits: the `lowbias32` function of C. Wellons' hash-prospector
 * (nullprogram.com/blog/2018/07/31). `fill.wgsl` has the same five lines.
 */
export function hash32(value: number): number {
  let x = value >>> 0;
  x = Math.imul(x ^ (x >>> 16), 0x7feb352d);
  x = Math.imul(x ^ (x >>> 15), 0x846ca68b);
  return (x ^ (x >>> 16)) >>> 0;
}
