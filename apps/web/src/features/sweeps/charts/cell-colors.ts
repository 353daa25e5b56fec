/** How strong the accent is in a cell, 0 to 1, by its rate's part of the best. */
export const strengthOf = (part: number): number => 0.06 + 0.94 * part;

/**
 * Where white and black text on the accent over the surface change places, in each scheme: the fill's
 * luminance is 0.18 there, and either keeps 4.5:1.
 */
const EVEN = { dark: 0.586, light: 0.838 };

/** The colour of text in a cell. */
export function textOn(strength: number): string {
  if (strength < EVEN.dark) return 'var(--on-pale)';
  return strength < EVEN.light ? '#000000' : 'var(--on-strong)';
}
