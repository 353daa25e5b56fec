/** One timed sample: back-to-back runs of a kernel, each with all of its passes. */
export interface Sample {
  /** Time of the whole sample by the executor's timer, ns. */
  readonly ns: number;
  /** Wall time of the same batch, ns; `ns <= wallNs` or the timer is broken. */
  readonly wallNs: number;
}

/** Wall clock, ns from an arbitrary origin. */
export function nowNs(): number {
  return performance.now() * 1e6;
}

/** The smallest of a hundred observed steps of the wall clock, ns. */
export function wallTickNs(): number {
  let smallest = Number.POSITIVE_INFINITY;
  for (let steps = 0; steps < 100; steps++) {
    const start = nowNs();
    let end = nowNs();
    while (end === start) end = nowNs();
    smallest = Math.min(smallest, end - start);
  }
  return smallest;
}
