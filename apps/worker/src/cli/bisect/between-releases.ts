import { join } from 'node:path';
import {
  type Contrast,
  type DuelOutcome,
  drawSeed,
  outcomeReason,
  type Profile,
  repeatedDuels,
  takeTurns,
  turnsPrior,
} from '@tilemark/core';
import type { Problem, Variant } from '@tilemark/kernels';
import { Runner } from '../../child/runner';
import { installRelease } from './releases';
import type { Finding } from './search';

/** The variant, problem and device to measure. */
export interface Measured {
  readonly variant: Variant;
  readonly problem: Problem;
  readonly device: string;
  readonly profile: Profile;
}

/** A duel lasts so long at most, ns: what differs between processes is told by more of them. */
const LONGEST_DUEL_NS = 3e9;

/**
 * Lets a variant take turns under two releases of `webgpu`, each in a process of its own. Every duel
 * has two new processes: where memory lies and what was compiled changes from one to the next, and
 * the interval of the ratio contains that, as the interval of a headline does.
 */
export class BetweenReleases {
  readonly #folder: string;
  readonly #childEntry: URL;
  readonly #measured: Measured;

  /** @param folder where releases are installed */
  constructor(folder: string, childEntry: URL, measured: Measured) {
    this.#folder = folder;
    this.#childEntry = childEntry;
    this.#measured = measured;
  }

  /**
   * The device as the release opens it. Throws InputError if there is none, DeviceFault if it does
   * not open: a release may need a newer system than this one.
   */
  async identify(release: string) {
    const runner = await this.#start(release);
    try {
      return (await runner.open(this.#measured.profile)).identity;
    } finally {
      await runner.close();
    }
  }

  /**
   * Holds a release against another by so many duels. Throws Error if it cannot be measured under
   * the other.
   */
  async hold(release: string, against: string, duels: number): Promise<Finding> {
    const { class: deviceClass } = await this.identify(against);
    const ratios: Contrast[] = [];
    let ends = 0;
    while (ratios.length < duels) {
      const outcome = await this.#duel(release, against);
      if (outcome.kind === 'dueled') {
        ratios.push(outcome.duel);
        continue;
      }
      const { outcome: ended, side } = outcome;
      // What is wrong once is wrong; whatever else ends a side must do so again.
      if (ended.kind !== 'incorrect' && ++ends < 2) continue;
      if (side === 'a') return { kind: 'ended', outcome: ended };
      throw new Error(
        `under webgpu ${against} it ended ${ended.kind}: ${outcomeReason(ended)}. Choose another release to compare with`,
      );
    }
    return { kind: 'dueled', ...repeatedDuels(ratios, turnsPrior(deviceClass)) };
  }

  async #duel(release: string, against: string): Promise<DuelOutcome> {
    const { problem, profile, variant } = this.#measured;
    const [a, b] = [await this.#start(release), await this.#start(against)];
    const seed = drawSeed();
    const opening = (runner: Runner) => () => runner.side(profile, { variant, problem, seed });
    const nowNs = () => Number(process.hrtime.bigint());
    try {
      return await takeTurns(
        { a: opening(a), b: opening(b) },
        { seed, nowNs, longestNs: LONGEST_DUEL_NS },
      );
    } finally {
      await Promise.all([a.close(), b.close()]);
    }
  }

  async #start(release: string): Promise<Runner> {
    const folder = await installRelease(join(this.#folder, release), release);
    const { device } = this.#measured;
    return new Runner({ entry: this.#childEntry, device, release: folder });
  }
}
