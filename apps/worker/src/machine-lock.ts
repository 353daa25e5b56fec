import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { lock } from 'proper-lockfile';

const DEFAULT_PATH = join(tmpdir(), 'tilemark-measuring');

/** A lock whose holder died is free again after this long, ms. */
const STALE_MS = 10_000;

/** Time between two tries to get the lock, ms. */
const RETRY_MS = 50;

/** After its turn a process leaves the others this long to get theirs, ms. */
const YIELD_MS = 2 * RETRY_MS;

export interface MachineLockOptions {
  /** Ends the waiting. */
  readonly signal?: AbortSignal | undefined;
  /** Called once when somebody else holds the lock. */
  readonly onWait?: (() => void) | undefined;
  readonly path?: string | undefined;
}

/**
 * Does `work` while no other process of this machine does: two runs that share
 * a CPU, a memory bus or a GPU would measure each other. Waits for its turn;
 * throws the signal's reason when aborted before it came.
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
    await leaveToOthers();
  }
}

/** Settles when whoever waits for a lock that was released has had the time to get it. */
export const leaveToOthers = (): Promise<void> => sleep(YIELD_MS);

/** Waits for the lock; the answer releases it. Throws the signal's reason when aborted before. */
export async function lockMachine({
  signal,
  onWait,
  path = DEFAULT_PATH,
}: MachineLockOptions = {}): Promise<() => Promise<void>> {
  for (let tries = 0; ; tries++) {
    signal?.throwIfAborted();
    if (tries === 1) onWait?.();
    try {
      // The default answer to a lock lost (this process slept) is to crash; the run goes on instead.
      const options = { realpath: false, stale: STALE_MS, onCompromised: () => {} };
      const release = await lock(path, options);
      // Only a lock taken over after 10 s without a heartbeat fails to be released; the run is over.
      return () => release().catch(() => {});
    } catch (error) {
      if (!(error instanceof Error && Reflect.get(error, 'code') === 'ELOCKED')) throw error;
      await sleep(RETRY_MS, undefined, signal ? { signal } : {}).catch(() => {});
    }
  }
}
