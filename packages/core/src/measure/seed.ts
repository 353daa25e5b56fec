import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import type { Secrets } from '@tilemark/kernels';
import { z } from 'zod';

/**
 * The seed of a run: an integer below 2^53, drawn when the run is claimed, so that no kernel can
 * know it, and published with the result, so that `rerun` repeats it.
 */
export const seedSchema = z.number().int().nonnegative().max(Number.MAX_SAFE_INTEGER);

export function drawSeed(): number {
  const [low = 0, high = 0] = crypto.getRandomValues(new Uint32Array(2));
  return (high >>> 11) * 2 ** 32 + low;
}

/**
 * The secrets of a run, each value by its purpose: HMAC-SHA-256 with the seed as its key. What a kernel reads
 * in memory (guards, poison, inputs) tells nothing of the other values: there is no way back from a value to
 * the seed but to try all 2^53, which takes days of a GPU that makes 10^10 hashes a second. A run lasts
 * seconds, and what it tries is part of its time.
 */
export function secretsOf(seed: number): Secrets {
  const key = utf8ToBytes(`tilemark run ${seed}`);
  return (purpose, index = 0) => {
    const bytes = hmac(sha256, key, utf8ToBytes(`${purpose} ${index}`));
    return new DataView(bytes.buffer, bytes.byteOffset).getUint32(0);
  };
}
