import { InputError } from './errors';

/**
 * Regimes: how a problem's inputs are drawn where it does not ask for the usual ones, fractions around
 * 0. A regime is part of the problem. Results of one are verified by the same rules and never ranked.
 * verify/fills.ts draws them, on the host and on the device.
 */
export const REGIMES = {
  large: 'large values',
  outliers: 'outliers',
  zeros: 'blocks of zeros',
  denormals: 'denormals',
  integers: 'integers',
} as const satisfies Readonly<Record<string, string>>;

export type Regime = keyof typeof REGIMES;

/** How a problem's inputs are drawn, to be written behind it: `, large values`; nothing if as usual. */
export const regimeText = ({ regime }: { readonly regime?: Regime | undefined }): string =>
  regime === undefined ? '' : `, ${REGIMES[regime]}`;

/** Throws InputError. */
export function parseRegime(text: string, field = 'regime'): Regime {
  if (Object.hasOwn(REGIMES, text)) return text as Regime;
  const known = Object.keys(REGIMES).join(', ');
  throw new InputError(`There is no regime '${text}'. Regimes: ${known}.`, field);
}
