import { hash32, type Secrets } from '@tilemark/kernels';

/** The inverse of `hash32`. */
export function unhash32(value: number): number {
  let x = value >>> 0;
  x = Math.imul(x ^ (x >>> 16), 0x43021123);
  x = Math.imul(x ^ (x >>> 15) ^ (x >>> 30), 0x1d69e2a5);
  return (x ^ (x >>> 16)) >>> 0;
}

export const PURPOSES = ['guard', 'check', 'inputs', 'choice', 'poison 1', 'poison 2', 'turn'];

/** What a run draws, by name. */
export const valuesOf = (secrets: Secrets) =>
  PURPOSES.flatMap((purpose) =>
    [0, 1, 2, 3].map((index) => [`${purpose} ${index}`, secrets(purpose, index)] as const),
  );

/** What follows from a value by up to `depth` steps of what a kernel can compute in no time. */
export function followersOf(value: number, depth: number): Set<number> {
  const found = new Set([value]);
  let last = [value];
  for (let step = 0; step < depth; step++) {
    const next = last.flatMap((x) => [
      hash32(x),
      unhash32(x),
      x ^ 0x5eed,
      x + 0x5eed,
      x - 0x5eed,
      ...Array.from({ length: 17 }, (_, i) => x + i - 8),
      ...[1024, 1025, 4096].map((place) => x ^ place),
    ]);
    last = next.map((x) => x >>> 0).filter((x) => !found.has(x));
    for (const x of last) found.add(x);
  }
  return found;
}

/** Pairs of which one follows from the other. */
export function derivable(secrets: Secrets): string[] {
  const values = valuesOf(secrets);
  return values.flatMap(([name, value]) => {
    const followers = followersOf(value, 3);
    return values.flatMap(([other, wanted]) =>
      other !== name && followers.has(wanted) ? [`${other} from ${name}`] : [],
    );
  });
}
