/** Colours of lines, in order; each keeps 3:1 on the grounds of both schemes. */
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

/** How the series of a page look, whichever of its charts they are in. */
export interface SeriesStyles {
  color(name: string): string;
  symbol(name: string): (typeof SYMBOLS)[number];
}

/**
 * Styles by name, in the order given: a name has one colour in all charts, and no two names
 * share one while there are colours. What was not named has that of what is left.
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
