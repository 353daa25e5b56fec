import type { Page } from '../../api';

/** Items of one page of a list. */
export const PAGE_SIZE = 100;

/**
 * A page out of one row more than it holds: the extra row says that there is a
 * next page, and is not shown.
 *
 * @param cursorOf what a row is paged by
 */
export function pageOf<Row, Item>(
  rows: readonly Row[],
  cursorOf: (row: Row) => string,
  items: (rows: readonly Row[]) => Item[],
): Page<Item> {
  const shown = rows.slice(0, PAGE_SIZE);
  const last = shown.at(-1);
  return {
    items: items(shown),
    nextCursor: rows.length > PAGE_SIZE && last ? cursorOf(last) : null,
  };
}
