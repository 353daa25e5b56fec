import type { Executor, Probe } from '@tilemark/kernels';
import { median } from 'd3-array';
import { nextDispatches } from './calibrate';
import type { Batch, Clocks } from './outcome';

/** A device slower than it was of late by more than this has slowed down. */
const SLOWED = 0.03;
/** A device that is further behind gets time to cool down or to wake up. */
const FAR_BEHIND = 0.2;
const MAX_PAUSES = 3;
const PAUSE_NS = 3e9;

/** A canary check lasts at least this long, ns. */
const LOOK_NS = 0.3e6;

/** A load this long wakes an idle device, ns. */
const WAKING_NS = 0.5e9;

/**
 * Looks that say how fast the device is of late: those of about 13 s of samples. A device that is
 * slower for good is seen for half of them, then measured at its new speed.
 */
const RECENT_LOOKS = 128;

/** What varies as much as this many of its own deviations has not slowed down. */
const DEVIATIONS = 4;
/** Standard deviation of a normal distribution over its median absolute deviation. */
const DEVIATION_OVER_MAD = 1.4826;

/**
 * Detects whether a device runs at its usual clocks, with a small fixed load of multiply-adds in
 * registers: only the clock decides how long that takes. It lives as long as the device is open, and
 * compares with the median of its recent looks: against the best of all, a noisy canary or a moment
 * of boost would mark every later run.
 */
export class Canary {
  readonly #probe: Probe;
  readonly #sleep: (ns: number) => Promise<void>;
  readonly #recent: number[] = [];
  #dispatches = 1;

  private constructor(probe: Probe, sleep: (ns: number) => Promise<void>) {
    this.#probe = probe;
    this.#sleep = sleep;
  }

  /** Null if the device has no probes. */
  static async open(
    executor: Executor,
    sleep: (ns: number) => Promise<void>,
  ): Promise<Canary | null> {
    const probe = await executor.probe({ id: 'canary' });
    return probe && new Canary(probe, sleep);
  }

  /**
   * Loads the device for half a second, so that its recent looks are those of a device at work.
   * Without this, the first check of an idle device would make its idle clock the standard.
   */
  async wake(): Promise<void> {
    for (let spentNs = 0; spentNs < WAKING_NS; ) {
      const { eachNs, wallNs } = await this.#look();
      this.#remember(eachNs);
      spentNs += wallNs;
    }
  }

  /** Whether the device is far slower than of late: throttled hard, or still idling. */
  async isFarBehind(): Promise<boolean> {
    const { eachNs } = await this.#look();
    // Not remembered: a device that idles is not one that has become slower.
    return eachNs > (1 + FAR_BEHIND) * (median(this.#recent) ?? eachNs);
  }

  /** How long the load takes now and took of late, ns, and whether that means a slower device. */
  async check(): Promise<{ readonly ns: number; readonly usualNs: number; isSlow: boolean }> {
    const { eachNs: ns } = await this.#look();
    const usualNs = median(this.#recent) ?? ns;
    const mad = median(this.#recent, (lookNs) => Math.abs(lookNs - usualNs)) ?? 0;
    const noise = (DEVIATIONS * DEVIATION_OVER_MAD * mad) / usualNs;
    this.#remember(ns);
    return { ns, usualNs, isSlow: ns > (1 + Math.max(SLOWED, noise)) * usualNs };
  }

  /** Waits while the device is far slower than of late, 3 s at a time, at most three times. */
  async coolDown(): Promise<void> {
    for (let pause = 0; pause < MAX_PAUSES; pause++) {
      if (!(await this.isFarBehind())) return;
      await this.#sleep(PAUSE_NS);
    }
  }

  #remember(eachNs: number): void {
    this.#recent.push(eachNs);
    if (this.#recent.length > RECENT_LOOKS) this.#recent.shift();
  }

  async #look(): Promise<{ eachNs: number; wallNs: number }> {
    for (;;) {
      const { ns, wallNs } = await this.#probe.sample(this.#dispatches);
      const next = nextDispatches(this.#dispatches, ns, LOOK_NS);
      if (next === this.#dispatches) return { eachNs: ns / this.#dispatches, wallNs };
      this.#dispatches = next;
    }
  }
}

/** The clocks as the driver last reported them. */
export type ClockReading = Pick<Clocks, 'smMHz' | 'limitedBy'>;

/** Reasons that are the machine's, not the kernel's: a kernel that meets the power cap always does. */
const IS_POWER_CAP = 'power cap';

/**
 * Watches the device through one series, batch by batch: by its clock and the driver's reasons where
 * they can be read, else by the canary. A batch is slow if the device was hot or braked, or its clock
 * more than 3% below the median of the series.
 */
export class PaceWatch {
  readonly #canary: Canary;
  readonly #clocks: () => ClockReading | null;
  readonly #smMHz: number[] = [];

  constructor(canary: Canary, clocks: () => ClockReading | null = () => null) {
    this.#canary = canary;
    this.#clocks = clocks;
  }

  /** To be called before each batch. */
  coolDown(): Promise<void> {
    return this.#canary.coolDown();
  }

  /** To be called after each batch. */
  async batch(samples: number): Promise<Batch> {
    // Read first: the canary itself heats nothing, but takes time.
    const reading = this.#clocks();
    const { ns, isSlow } = await this.#canary.check();
    if (!reading) return { samples, canaryNs: ns, isSlow };
    this.#smMHz.push(reading.smMHz);
    const usual = median(this.#smMHz) ?? reading.smMHz;
    const isBraked = reading.limitedBy.some((reason) => reason !== IS_POWER_CAP);
    return {
      samples,
      canaryNs: ns,
      smMHz: reading.smMHz,
      limitedBy: [...reading.limitedBy],
      isSlow: isBraked || reading.smMHz < (1 - SLOWED) * usual,
    };
  }
}
