import { it } from 'vitest';

/** `npm run test:faults`: every fault at its full length. `npm test` takes the short form. */
export const isLong = process.env.TILEMARK_FAULTS === 'long';

/** How long an outage lasts, in ms. */
export const outageMs = (seconds: { long: number; short: number }): number =>
  1_000 * (isLong ? seconds.long : seconds.short);

/** A fault that only the long form injects; the short one does not count it as skipped. */
export function inLongForm(name: string, test: () => Promise<void>): void {
  if (isLong) it(name, test);
}
