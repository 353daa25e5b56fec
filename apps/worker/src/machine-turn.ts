import { leaveToOthers, lockMachine, type MachineLockOptions } from './machine-lock';

/** A turn that has lasted this long ends before the next piece of work, ms. */
const TURN_MS = 3_000;

export interface MachineTurnOptions extends Pick<MachineLockOptions, 'path'> {
  /** How long a turn may last, ms. */
  readonly turnMs?: number;
}

/**
 * The machine for many short pieces of work in a row: it is left to others every 3 s and not
 * after each of them, as `withMachineLock` does, so that a device does not idle between them.
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
