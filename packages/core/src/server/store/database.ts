import { createHash } from 'node:crypto';
import { Prisma } from '@tilemark/db';
import type { Page } from '../../api/api';

// What all nouns share: hashes, JSON columns, pages of lists.

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** JSON with object keys in order: equal contents are equal texts. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    part !== null && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}

/**
 * A value for a JSON column. Postgres stores no NUL in text; one in a compiler's message becomes
 * the replacement character.
 */
export function toJson(value: object): Prisma.InputJsonObject {
  const text = JSON.stringify(value);
  // A reviver makes parsing several times slower.
  if (!text.includes('\\u0000')) return JSON.parse(text);
  return JSON.parse(text, (_key, part: unknown) =>
    typeof part === 'string' ? withoutNul(part) : part,
  );
}

export const withoutNul = (text: string): string => text.replaceAll('\0', '\uFFFD');

/** Reads back what `toJson` wrote: the store is the only writer of its columns. */
export const fromJson = <T>(value: Prisma.JsonValue): T => value as T;

type WithIsoDates<Row> = {
  [Column in keyof Row]: Row[Column] extends Date | null
    ? string | Exclude<Row[Column], Date>
    : Row[Column];
};

/** A row as views have it: its dates as text. */
export const withIsoDates = <Row extends object>(row: Row) =>
  Object.fromEntries(
    Object.entries(row).map(([column, value]) => [
      column,
      value instanceof Date ? value.toISOString() : value,
    ]),
  ) as WithIsoDates<Row>;

/** Items per page of a list. */
export const PAGE_SIZE = 100;

/**
 * A page from one row more than it shows: the extra row only tells that there is a next page.
 *
 * @param cursorOf what a row is paged by
 */
export function pageOf<Row>(rows: readonly Row[], cursorOf: (row: Row) => string): Page<Row> {
  const items = rows.slice(0, PAGE_SIZE);
  const last = items.at(-1);
  return { items, nextCursor: rows.length > PAGE_SIZE && last ? cursorOf(last) : null };
}

/**
 * In the select list of a statement: its transaction commits without waiting for the disk. For
 * heartbeats, which soon follow again: a crash of Postgres loses at most the last half second of
 * them and corrupts nothing. Claims and results do wait.
 */
export const withoutWaitingForDisk = Prisma.sql`
  set_config('synchronous_commit', 'off', true) AS "synchronousCommit"`;

export function* batches<T>(items: readonly T[], size: number): Generator<T[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}
