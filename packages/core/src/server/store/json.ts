import type { Prisma } from '@tilemark/db';

/**
 * A value as a JSON column takes it. Postgres stores no NUL in text; a compiler's
 * message may hold one, and is kept with the replacement character in its place.
 */
export const toJson = (value: object): Prisma.InputJsonObject =>
  JSON.parse(JSON.stringify(value), (_key, part: unknown) =>
    typeof part === 'string' ? withoutNul(part) : part,
  );

export const withoutNul = (text: string): string => text.replaceAll('\0', '\uFFFD');

/** Reads back what `toJson` wrote: the store is the only writer of its columns. */
export const fromJson = <T>(value: Prisma.JsonValue): T => value as T;
