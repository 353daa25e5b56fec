import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

export interface BigOptions {
  /** Holds the throw-away database. */
  readonly dataDir: string;
  readonly devices: number;
  readonly results: number;
}

export const DEVICES = 200;
export const RESULTS = 1_000_000;

/** Flags of `seed:big` and `bench:web`. Throws TypeError for others. */
export function readBigOptions(args: readonly string[], root: string): BigOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      data: { type: 'string', default: '.tilemark-big' },
      devices: { type: 'string', default: String(DEVICES) },
      results: { type: 'string', default: String(RESULTS) },
    },
  });
  return {
    dataDir: resolve(root, values.data),
    devices: count('devices', values.devices),
    results: count('results', values.results),
  };
}

function count(name: string, text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number > 0) return number;
  throw new TypeError(`--${name} takes a whole number above 0, not '${text}'.`);
}
