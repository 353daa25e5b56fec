/** What many ask for and costs the database much, read once for all of them. */
export interface SharedRead<T> {
  /** What was read last, where that is young enough; callers share it and must not change it. */
  (): Promise<T>;
  /** The next caller reads anew. */
  forget(): void;
}

/** Reads at most once in `keepMs`, however many ask; a failure is told and not kept. */
export function sharedRead<T>(read: () => Promise<T>, keepMs: number): SharedRead<T> {
  let kept: { readonly value: Promise<T>; readonly atMs: number } | null = null;
  const forget = () => {
    kept = null;
  };
  const ask = () => {
    if (kept && performance.now() - kept.atMs < keepMs) return kept.value;
    const reading = { value: read(), atMs: performance.now() };
    kept = reading;
    reading.value.catch(() => {
      if (kept === reading) forget();
    });
    return reading.value;
  };
  return Object.assign(ask, { forget });
}
