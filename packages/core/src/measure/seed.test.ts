import { hash32, type Secrets } from '@tilemark/kernels';
import { describe, expect, it } from 'vitest';
import { drawSeed, secretsOf, seedSchema } from './seed';
import { derivable, PURPOSES, unhash32, valuesOf } from './seed.test-helper';

describe('the secrets of a run', () => {
  it('repeat from its seed, and differ between seeds, purposes and indices', () => {
    const seen = new Set<number>();
    for (const seed of [0, 1, 2 ** 32, 2 ** 32 + 1, Number.MAX_SAFE_INTEGER]) {
      const values = valuesOf(secretsOf(seed));
      expect(valuesOf(secretsOf(seed))).toEqual(values);
      for (const [, value] of values) seen.add(value);
    }
    expect(seen.size).toBe(5 * 4 * PURPOSES.length);
    expect(seedSchema.parse(drawSeed())).toEqual(expect.any(Number));
  });

  it('do not follow from one another', () => {
    for (const seed of [0, 5, drawSeed()]) expect(derivable(secretsOf(seed))).toEqual([]);
  });

  it('would be found where they do', () => {
    expect(unhash32(hash32(0xdecade))).toBe(0xdecade);
    const choices = 0x1234567;
    const hashed: Secrets = (purpose, index = 0) =>
      purpose === 'guard' ? hash32(choices) : hash32(choices + index);
    expect(derivable(hashed)).toContain('choice 3 from guard 0');
  });

  it('are as likely to be anything: every bit is set in half of them', () => {
    const secrets = secretsOf(7);
    const counts = Array.from({ length: 32 }, () => 0);
    for (let i = 0; i < 2_000; i++) {
      const value = secrets('choice', i);
      for (const bit of counts.keys()) counts[bit] = (counts[bit] ?? 0) + ((value >>> bit) & 1);
    }
    // Seven standard deviations.
    for (const count of counts) expect(Math.abs(count - 1_000)).toBeLessThan(157);
  });
});
