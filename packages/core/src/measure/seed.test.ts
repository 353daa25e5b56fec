import { hash32, type Secrets } from '@tilemark/kernels';
import { describe, expect, it } from 'vitest';
import { drawSeed, secretsOf, seedSchema } from './seed';

/** The inverse of `hash32`. */
function unhash32(value: number): number {
  let x = value >>> 0;
  x = Math.imul(x ^ (x >>> 16), 0x43021123);
  x = Math.imul(x ^ (x >>> 15) ^ (x >>> 30), 0x1d69e2a5);
  return (x ^ (x >>> 16)) >>> 0;
}

const PURPOSES = ['guard', 'check', 'inputs', 'choice', 'poison 1', 'poison 2', 'turn'];

/** What a run draws, by name. */
const valuesOf = (secrets: Secrets) =>
  PURPOSES.flatMap((purpose) =>
    [0, 1, 2, 3].map((index) => [`${purpose} ${index}`, secrets(purpose, index)] as const),
  );

/** What follows from a value by up to `depth` steps of what a kernel can compute in no time. */
function followersOf(value: number, depth: number): Set<number> {
  const found = new Set([value]);
  let last = [value];
  for (let step = 0; step < depth; step++) {
    const next = last.flatMap((x) => [
      ...[hash32(x), unhash32(x), x ^ 0x5eed, x + 0x5eed, x - 0x5eed],
      ...Array.from({ length: 17 }, (_, i) => x + i - 8),
      ...[1024, 1025, 4096].map((place) => x ^ place),
    ]);
    last = next.map((x) => x >>> 0).filter((x) => !found.has(x));
    for (const x of last) found.add(x);
  }
  return found;
}

/** Pairs of which one follows from the other. */
function derivable(secrets: Secrets): string[] {
  const values = valuesOf(secrets);
  return values.flatMap(([name, value]) => {
    const followers = followersOf(value, 3);
    return values.flatMap(([other, wanted]) =>
      other !== name && followers.has(wanted) ? [`${other} from ${name}`] : [],
    );
  });
}

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
