import type { Page } from '@tilemark/core';

/** Every item of a list, page after page. */
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
