import { leaveToOthers, lockMachine, type MachineLockOptions } from './machine-lock';

/** After so long the next piece of work waits for whoever else waits: as long as a short run, ms. */
const TURN_MS = 3_000;

export interface MachineTurnOptions extends Pick<MachineLockOptions, 'path'> {
  /** Absent: 3 s. */
  readonly turnMs?: number;
}

/**
 * The machine for many short pieces of work, one at a time. `withMachineLock` leaves it to
 * others after each; this keeps it from one to the next until it has had it for 3 s, so that
 * the device does not idle between them.
 */
export class MachineTurn {
  readonly #path: string | undefined;
  readonly #turnMs: number;
  #held: { readonly release: () => Promise<void>; readonly sinceMs: number } | null = null;

  constructor({ path, turnMs = TURN_MS }: MachineTurnOptions = {}) {
    this.#path = path;
    this.#turnMs = turnMs;
  }

  /** Does `work` while no other process of this machine measures; waits for that. */
  async take<T>(
    work: () => Promise<T>,
    { onWait }: Pick<MachineLockOptions, 'onWait'> = {},
  ): Promise<T> {
    if (this.#held && performance.now() - this.#held.sinceMs > this.#turnMs) {
      await this.end();
      await leaveToOthers();
    }
    this.#held ??= {
      release: await lockMachine({ onWait, path: this.#path }),
      sinceMs: performance.now(),
    };
    return work();
  }

  /** Leaves the machine to others; a later `take` waits for it again. */
  async end(): Promise<void> {
    const held = this.#held;
    this.#held = null;
    await held?.release();
  }
}
