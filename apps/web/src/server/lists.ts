import type { Page } from '@tilemark/core';

export async function* allItems<T>(
  list: (cursor?: string) => Promise<Page<T>>,
): AsyncGenerator<T, void, undefined> {
  let cursor: string | undefined;
  do {
    const page = await list(cursor);
    yield* page.items;
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
}

/** The first items of a list, all of them unless there is a limit. */
export async function firstItems<T>(
  list: (cursor?: string) => Promise<Page<T>>,
  limit = Number.POSITIVE_INFINITY,
): Promise<T[]> {
  const items: T[] = [];
  for await (const item of allItems(list)) {
    items.push(item);
    if (items.length >= limit) break;
  }
  return items;
}
