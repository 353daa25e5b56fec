import type { Measurement } from './outcome';

/**
 * A dispatch is to stay under this, ns: operating systems and browsers end what occupies a GPU
 * for seconds, and nothing can be told of its clocks meanwhile.
 */
export const LONG_DISPATCH_NS = 1e9;

/** That one dispatch of a measured variant takes longer than it should; null where none does. */
export function longDispatch({ cold }: Pick<Measurement, 'cold'>): string | null {
  if (!(cold.medianNs > LONG_DISPATCH_NS)) return null;
  return `one dispatch takes ${(cold.medianNs / 1e9).toFixed(1)} s (over 1 s): a system that shares its GPU with a display may end it`;
}
