import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pRetry from 'p-retry';
import { lock } from 'proper-lockfile';
import { equals, listCards, lockOf } from '../gpu/cards';

const DEFAULT_PATH = join(tmpdir(), 'tilemark-measuring');

/** A lock whose holder died is free again after this long, ms. */
const STALE_MS = 10_000;

/** Time between two attempts to get the lock, ms. */
const RETRY_MS = 50;

/** After its turn a process gives the others this long to get theirs, ms. */
const YIELD_MS = 2 * RETRY_MS;

/** How long a `MachineTurn` keeps the machine while others wait: about one short run, ms. */
const TURN_MS = 3_000;

interface MachineLockOptions {
  /** Ends the wait. */
  readonly signal?: AbortSignal | undefined;
  /** Called once if somebody else has the lock. */
  readonly onWait?: (() => void) | undefined;
  readonly path?: string | undefined;
}

/**
 * Runs `work` while no other process on this machine measures: two runs that share
 * a CPU, a memory bus or a GPU would measure each other. Waits for its turn;
 * throws the signal's reason if aborted first.
 */
export async function withMachineLock<T>(
  work: () => Promise<T>,
  options: MachineLockOptions = {},
): Promise<T> {
  const release = await lockMachine(options);
  try {
    return await work();
  } finally {
    await release();
    await sleep(YIELD_MS);
  }
}

/** The machine's lock as a worker takes it. */
export const aloneOn =
  (path?: string) =>
  <T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> =>
    withMachineLock(work, { signal, path });

/** Waits for the lock and resolves to its release. Throws the signal's reason if aborted first. */
export async function lockMachine({
  path,
  ...options
}: MachineLockOptions = {}): Promise<() => Promise<void>> {
  // Each of several equal cards measures under a lock of its own; the whole machine is all of them.
  const cards = path ? [] : listCards().filter(({ name }) => equals(name).length > 0);
  const held: (() => Promise<void>)[] = [];
  const release = async () => {
    for (const unlock of held.reverse()) await unlock();
  };
  try {
    for (const place of [path ?? DEFAULT_PATH, ...cards.map(lockOf)]) {
      held.push(await lockPath(place, options));
    }
  } catch (error) {
    await release();
    throw error;
  }
  return release;
}

async function lockPath(
  path: string,
  { signal, onWait }: Omit<MachineLockOptions, 'path'>,
): Promise<() => Promise<void>> {
  const release = await pRetry(
    () => {
      signal?.throwIfAborted();
      // By default a lost lock (this process slept) crashes the process; the run goes on instead.
      return lock(path, { realpath: false, stale: STALE_MS, onCompromised: () => {} });
    },
    {
      // Not `signal`: p-retry would drop a lock that it got just before the abort.
      retries: Number.POSITIVE_INFINITY,
      minTimeout: RETRY_MS,
      factor: 1,
      shouldRetry: ({ error }) => Reflect.get(error, 'code') === 'ELOCKED',
      onFailedAttempt: ({ attemptNumber }) => void (attemptNumber === 1 && onWait?.()),
    },
  );
  // Fails only for a lock taken over after 10 s without a heartbeat; the run is over by then.
  return () => release().catch(() => {});
}

/**
 * The machine lock for many short pieces of work. `withMachineLock` yields after each;
 * this keeps the lock from one to the next for up to 3 s, so that the device does not
 * idle in between.
 */
export class MachineTurn {
  readonly #path: string | undefined;
  readonly #turnMs: number;
  #held: { readonly release: () => Promise<void>; readonly sinceMs: number } | null = null;

  constructor({
    path,
    turnMs = TURN_MS,
  }: { readonly path?: string; readonly turnMs?: number } = {}) {
    this.#path = path;
    this.#turnMs = turnMs;
  }

  /** Runs `work` while no other process on this machine measures; waits for that. */
  async take<T>(
    work: () => Promise<T>,
    { onWait }: Pick<MachineLockOptions, 'onWait'> = {},
  ): Promise<T> {
    if (this.#held && performance.now() - this.#held.sinceMs > this.#turnMs) {
      await this.end();
      await sleep(YIELD_MS);
    }
    this.#held ??= {
      release: await lockMachine({ onWait, path: this.#path }),
      sinceMs: performance.now(),
    };
    return work();
  }

  /** Releases the machine; a later `take` waits for it again. */
  async end(): Promise<void> {
    const held = this.#held;
    this.#held = null;
    await held?.release();
  }
}
