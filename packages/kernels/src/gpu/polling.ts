/** The part of a wait that its end may be noticed late, and the longest pause between two turns, ms. */
const LATE = { part: 1 / 64, most: 1 };

/** The shortest pause, ms. A thread that sleeps for less wakes up late, so this one is spun. */
const LEAST_PAUSE = 0.02;

/** The part of an expected wait in which nothing is asked, and the longest, ms. */
const QUIET = { part: 0.85, most: 50 };

type Turn = (...args: unknown[]) => void;

let isPaced = false;

/** The time until which nothing is expected, ms. */
let quietUntilMs = 0;

/**
 * Dawn in Node asks the device for results in every turn of the event loop, by the global `setImmediate`,
 * with a new function each time (crbug.com/dawn/1127). While a device computes, that keeps a core busy,
 * which a software adapter computes on, and leaves functions to be finalised, which stops a run for 30
 * to 70 ms (beside an H200, 2026-11-28). From here on, turns pause in between.
 */
export function pacePolling(): void {
  if (isPaced) return;
  isPaced = true;
  const node = globalThis as unknown as {
    setImmediate: (turn: Turn, ...args: unknown[]) => unknown;
  };
  const { setImmediate } = node;
  const cell = new Int32Array(new SharedArrayBuffer(4));
  /** When the first of the turns began of which one is running, ms; null outside of them. */
  let beganMs: number | null = null;
  node.setImmediate = (turn, ...args) => {
    const sinceMs = beganMs ?? performance.now();
    // What is there at once is found by the first turn.
    const least = beganMs === null ? 0 : LEAST_PAUSE;
    return setImmediate(() => {
      const nowMs = performance.now();
      const wanted = Math.max(quietUntilMs - nowMs, LATE.part * (nowMs - sinceMs), least);
      if (wanted > LEAST_PAUSE) Atomics.wait(cell, 0, 0, Math.min(wanted, LATE.most));
      else while (performance.now() < nowMs + wanted);
      beganMs = sinceMs;
      try {
        turn(...args);
      } finally {
        beganMs = null;
      }
    });
  };
}

/** Says that what began at `beganNs` takes about so long, ns. */
export function expectWait(beganNs: number, ns: number): void {
  quietUntilMs = beganNs / 1e6 + Math.min((QUIET.part * ns) / 1e6, QUIET.most);
}
