import { idsOf } from './dtype';

/**
 * Regimes: how a problem's inputs are drawn where it does not ask for the usual ones, fractions around
 * 0. A regime is part of the problem. Results of one are verified by the same rules and never ranked.
 * verify/fills.ts draws them, on the host and on the device.
 */
export const REGIMES = {
  large: 'large values',
  outliers: 'outliers',
  zeros: 'blocks of zeros',
  integers: 'integers',
} as const satisfies Readonly<Record<string, string>>;

export type RegimeName = keyof typeof REGIMES;

/** A regime; of large values and outliers also with the power of two that they are below: `large:7`. */
export type Regime = RegimeName | `${'large' | 'outliers'}:${number}`;

/** The regime that a text names; undefined: none. */
export const regimeIn = (text: string): Regime | undefined =>
  /^(?:large|outliers):\d{1,2}$/.test(text)
    ? (text as Regime)
    : idsOf(REGIMES).find((id) => id === text);

/** `large:7` -> `['large', 7]` */
export function partsOfRegime<Name extends string>(
  text: Name | `${Name}:${number}`,
): [name: Name, exponent: number | undefined] {
  const [name, exponent] = text.split(':');
  return [name as Name, exponent === undefined ? undefined : Number(exponent)];
}

/** A regime in words: `outliers up to 2^7`. */
export function regimeWords(regime: Regime): string {
  const [name, exponent] = partsOfRegime<RegimeName>(regime);
  return exponent === undefined ? REGIMES[name] : `${REGIMES[name]} up to 2^${exponent}`;
}

/** How a problem's inputs are drawn, to be written behind it: `, large values`; nothing if as usual. */
export const regimeText = ({ regime }: { readonly regime?: Regime | undefined }): string =>
  regime === undefined ? '' : `, ${regimeWords(regime)}`;
