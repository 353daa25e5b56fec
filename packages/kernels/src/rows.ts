import type { Rows } from './kernel';

/** `rows` rows in at most `parts` runs of nearly equal length. */
export function splitRows(rows: number, parts: number): Rows[] {
  const count = Math.min(rows, parts);
  const edge = (part: number) => Math.floor((part * rows) / count);
  return Array.from({ length: count }, (_, part) => ({ first: edge(part), end: edge(part + 1) }));
}
