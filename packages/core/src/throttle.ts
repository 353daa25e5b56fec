import type { Executor, Probe } from '@tilemark/kernels';
import { nextDispatches } from './calibrate';

/** Slower than its best by more than this, the device has throttled. */
const THROTTLED = 0.05;
/** By more than this, it is given time: to cool down, or to wake up. */
const FAR_BEHIND = 0.2;
const MAX_PAUSES = 3;
const PAUSE_NS = 3e9;

/** A look at the canary lasts at least this long, ns. */
const LOOK_NS = 0.3e6;

/** So long a load wakes a device that has idled, ns. */
const WAKING_NS = 0.5e9;

/**
 * Tells whether a device runs at its full clocks, by a small fixed load of
 * multiply-adds in registers: nothing but the clock decides how long that takes.
 * It lives as long as the device is open, so that its best is that of all runs.
 */
export class Canary {
  readonly #probe: Probe;
  readonly #sleep: (ns: number) => Promise<void>;
  #dispatches = 1;
  #bestNs = Number.POSITIVE_INFINITY;

  private constructor(probe: Probe, sleep: (ns: number) => Promise<void>) {
    this.#probe = probe;
    this.#sleep = sleep;
  }

  /** Null where the device has no probes. */
  static async of(
    executor: Executor,
    sleep: (ns: number) => Promise<void>,
  ): Promise<Canary | null> {
    const probe = await executor.probe({ id: 'canary' });
    return probe && new Canary(probe, sleep);
  }

  /**
   * Loads the device for half a second, so that its best is that of a device at work: the
   * first look at one that has idled would make its idle clock the measure of all others.
   */
  async wake(): Promise<void> {
    for (let spentNs = 0; spentNs < WAKING_NS; ) spentNs += (await this.#look()).wallNs;
  }

  /** Whether the device is far slower now than it was at its best: throttled hard, or still idling. */
  async isFarBehind(): Promise<boolean> {
    return (await this.#slowdown()) > FAR_BEHIND;
  }

  /** Whether the device is slower now than it was at its best. */
  async isThrottled(): Promise<boolean> {
    return (await this.#slowdown()) > THROTTLED;
  }

  /** Waits while the device is much slower than at its best, 3 s at a time and at most three times. */
  async coolDown(): Promise<void> {
    for (let pause = 0; pause < MAX_PAUSES; pause++) {
      if (!(await this.isFarBehind())) return;
      await this.#sleep(PAUSE_NS);
    }
  }

  async #slowdown(): Promise<number> {
    const { eachNs } = await this.#look();
    return eachNs / this.#bestNs - 1;
  }

  async #look(): Promise<{ eachNs: number; wallNs: number }> {
    for (;;) {
      const { ns, wallNs } = await this.#probe.sample(this.#dispatches);
      const next = nextDispatches(this.#dispatches, ns, LOOK_NS);
      if (next === this.#dispatches) {
        const eachNs = ns / this.#dispatches;
        this.#bestNs = Math.min(this.#bestNs, eachNs);
        return { eachNs, wallNs };
      }
      this.#dispatches = next;
    }
  }
}
