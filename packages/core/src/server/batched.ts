import { setImmediate, setTimeout as sleep } from 'node:timers/promises';

interface BatchOptions<Item> {
  /**
   * After a batch of several, the next one begins this long after it began, ms: enough callers for
   * another are there by then. A caller who is alone never waits.
   */
  readonly gatherMs: number;
  /** Items with the same key are never in one batch: they are served in their order. */
  readonly keyOf?: (item: Item) => string;
  /** Whether the error would be that of every item: those that are left share it. */
  readonly isOutage: (error: unknown) => boolean;
}

/** More at once would make those who came first wait for those who came last. */
const MOST = 200;

interface Waiting<Item, Answer> {
  readonly item: Item;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Serves those who call while a batch is under way together, as the next batch: under load a
 * statement, a wait for the disk, and a round trip are then shared by many, and a caller who is
 * alone is served at once. Answers come as if each item had been alone: an item that is refused, or
 * that fails the batch, harms no other.
 *
 * @param work serves all items or, if it throws, none. Gives their answers in order; an Error in
 *   place of an answer refuses that item.
 */
export function batched<Item, Answer>(
  work: (items: readonly Item[]) => Promise<readonly (Answer | Error)[]>,
  { gatherMs, isOutage, keyOf }: BatchOptions<Item>,
): (item: Item) => Promise<Answer> {
  let queue: Waiting<Item, Answer>[] = [];
  let isServing = false;

  /** The first in the queue, one of each key. */
  const take = (): Waiting<Item, Answer>[] => {
    const keys = new Set<string>();
    const batch: Waiting<Item, Answer>[] = [];
    const rest: Waiting<Item, Answer>[] = [];
    for (const waiting of queue) {
      const key = keyOf?.(waiting.item);
      const fits = batch.length < MOST && (key === undefined || !keys.has(key));
      (fits ? batch : rest).push(waiting);
      if (key !== undefined) keys.add(key);
    }
    queue = rest;
    return batch;
  };

  const serve = async (batch: readonly Waiting<Item, Answer>[]): Promise<void> => {
    const answers = await work(batch.map(({ item }) => item));
    for (const [at, { resolve, reject }] of batch.entries()) {
      const answer = answers[at];
      if (answer instanceof Error) reject(answer);
      else resolve(answer as Answer);
    }
  };

  /** Serves each by itself, after a batch of them has failed. */
  const serveEach = async (batch: readonly Waiting<Item, Answer>[]): Promise<void> => {
    for (const [at, waiting] of batch.entries()) {
      try {
        await serve([waiting]);
      } catch (error) {
        const those = isOutage(error) ? batch.slice(at) : [waiting];
        for (const { reject } of those) reject(error);
        if (those.length > 1) return;
      }
    }
  };

  const run = async (): Promise<void> => {
    while (queue.length > 0) {
      // Those who call in this turn of the event loop come along.
      await setImmediate();
      const startedMs = performance.now();
      const batch = take();
      await serve(batch).catch((error: unknown) =>
        batch.length > 1 ? serveEach(batch) : batch[0]?.reject(error),
      );
      const leftMs = startedMs + gatherMs - performance.now();
      if (batch.length > 1 && leftMs > 0) await sleep(leftMs);
    }
    isServing = false;
  };

  return (item) =>
    new Promise((resolve, reject) => {
      queue.push({ item, resolve, reject });
      if (isServing) return;
      isServing = true;
      void run();
    });
}
