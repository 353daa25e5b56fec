import { hash32 } from '@tilemark/kernels';
import { z } from 'zod';

/**
 * The seed of a run: an integer below 2^53, drawn when the run is claimed, so that no kernel can
 * know it, and published with the result, so that `rerun` repeats it. Its lower 32 bits are the
 * inputs' seed; the choices of what is checked when follow from all of it, so that they do not
 * follow from the inputs.
 */
export const seedSchema = z.number().int().nonnegative().max(Number.MAX_SAFE_INTEGER);

const LOW = 2 ** 32;

export function drawSeed(): number {
  const [low = 0, high = 0] = crypto.getRandomValues(new Uint32Array(2));
  return (high >>> 11) * LOW + low;
}

/** What a run derives from its seed. */
export interface Secrets {
  /** Seed of the inputs, 32 bits. */
  readonly inputs: number;
  /** Decides what is checked, and when. */
  readonly choices: number;
}

export function secretsOf(seed: number): Secrets {
  const [low, high] = [seed % LOW, Math.floor(seed / LOW)];
  return { inputs: low, choices: hash32(hash32(low + 1) ^ hash32(high)) };
}
