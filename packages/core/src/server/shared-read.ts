export type SharedReads = ReturnType<typeof sharedReads>;

/**
 * Answers that many ask for at once and that cost the database much, read once for all of them.
 *
 * @param keepMs how old an answer may be, counted from the start of its read; 0: only those who
 *   ask while a read is under way share it. Failures are never kept.
 */
export function sharedReads(keepMs: number) {
  const reads = new Map<string, Promise<unknown>>();
  return {
    /** What `read` resolves to, or a read with the same key that is young enough. Callers must not change it. */
    read<T>(key: string, read: () => Promise<T>): Promise<T> {
      const shared = reads.get(key);
      if (shared) return shared as Promise<T>;
      const startedMs = performance.now();
      const reading = read();
      reads.set(key, reading);
      const drop = () => {
        if (reads.get(key) === reading) reads.delete(key);
      };
      reading.then(() => {
        const leftMs = startedMs + keepMs - performance.now();
        if (leftMs <= 0) drop();
        else setTimeout(drop, leftMs).unref();
      }, drop);
      return reading;
    },
    /** The next caller reads again; without a key, of anything. */
    forget: (key?: string) => void (key === undefined ? reads.clear() : reads.delete(key)),
  };
}
