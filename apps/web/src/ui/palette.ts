/** Colours of lines, in order. Each is told apart by its symbol or dash too. */
export const COLORS = [
  'var(--accent)',
  'var(--amber)',
  'var(--violet)',
  'var(--rose)',
  'var(--blue)',
  'var(--muted)',
] as const;

export const SYMBOLS = ['circle', 'square', 'triangle', 'diamond', 'cross', 'star'] as const;

/** The colour of the `index`th line; they repeat. */
export const colorOf = (index: number): string => COLORS[index % COLORS.length] ?? 'var(--muted)';
