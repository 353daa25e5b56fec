/** Wall clock, ns from an arbitrary origin. */
export function nowNs(): number {
  return performance.now() * 1e6;
}

/** Smallest step of the wall clock seen in a few hundred reads, ns. */
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
