import { type Prepared, ReferenceWrong, type Secrets, type Verdict } from '@tilemark/kernels';
import type { Outcome, Verification } from './outcome';

/** Consecutive dispatches of the cold series of which each one's output is verified. */
const STRETCH_DISPATCHES = 64;

/** The stretch begins with one of this many samples. */
const STRETCH_BEGINS_WITHIN = 16;

/** After the stretch, one sample in this many is verified, this often at most. */
const SPOT_EVERY = 16;
const MOST_SPOTS = 8;

/** Outputs verified of one such sample. */
const SETS_PER_SPOT = 4;

/** An output that is wrong: ends the run as `incorrect`. */
export class WrongOutput extends Error {
  override readonly name = 'WrongOutput';
  readonly outcome: Extract<Outcome, { kind: 'incorrect' }>;

  constructor(when: 'before' | 'after', { worst, reason, beyond, checked, rms }: Verdict) {
    super('the output is wrong');
    const element = worst ?? { row: 0, col: 0, got: 'unknown', want: 0, bound: 0 };
    const told = { ...(reason !== null && { reason }), beyond, checked };
    this.outcome = {
      kind: 'incorrect',
      when,
      worst: element,
      ...told,
      ...(Number.isFinite(rms) && { rms }),
    };
  }
}

/**
 * The proof of one run: verifies its outputs before, while and after it is timed. What is looked at
 * when follows from the run's seed, which the kernel cannot know. Every output is poisoned before
 * the dispatch that is verified, in turn with NaN and with values that look like results.
 * docs/tolerance.md says what each step is for.
 */
export class Proof {
  readonly #prepared: Prepared;
  readonly #secrets: Secrets;
  readonly #nowNs: () => number;
  readonly #stretchBegins: number;
  #drawn = 0;
  #isWatching = false;
  #samples = 0;
  #inStretch = 0;
  /** Dispatches of the stretch, of which each one's output is yet to be verified. */
  #unseen = 0;
  #spots = 0;
  /** Rotated dispatches of which the outputs, at most one per set, are still there. */
  #written = 0;
  #dispatches = 0;
  #spentNs = 0;
  #squares = 0;
  #checked = 0;

  /** @param nowNs a monotonic clock, ns */
  constructor(prepared: Prepared, secrets: Secrets, nowNs: () => number) {
    this.#prepared = prepared;
    this.#secrets = secrets;
    this.#nowNs = nowNs;
    this.#stretchBegins = this.#draw(STRETCH_BEGINS_WITHIN);
  }

  /** Number of dispatches whose output was verified. */
  get dispatches(): number {
    return this.#dispatches;
  }

  /** Time spent, ns. */
  get spentNs(): number {
    return this.#spentNs;
  }

  /** RMS error of all elements verified, in roundoffs of the dtype. */
  get rms(): number {
    return this.#checked > 0 ? Math.sqrt(this.#squares / this.#checked) : 0;
  }

  /**
   * Two dispatches by themselves: one finds NaN, the other what could be an earlier result. Throws
   * WrongOutput; ReferenceWrong if nothing can be verified here.
   */
  async first(): Promise<Verification> {
    const prepared = this.#prepared;
    await this.#spend(() => prepared.poison('nan'));
    const untouched = await this.#spend(() => prepared.verify([0]));
    const isBlind = untouched.method === 'device' && untouched.beyond < untouched.checked;
    if (!untouched.worst || isBlind) {
      throw new ReferenceWrong(
        `the comparison is wrong on this device: it finds ${untouched.beyond} of ${untouched.checked} elements wrong where nothing was written`,
      );
    }
    await prepared.sample({ dispatches: 1, rotate: false });
    await this.#verify('before', [0], 1);
    await this.#spend(() => prepared.poison('stale'));
    await prepared.sample({ dispatches: 1, rotate: false });
    const verification = await this.#verify('before', [0], 1);
    await this.#inRegimes();
    return verification;
  }

  /** On inputs that show what the usual ones, fractions around 0, leave out. Throws WrongOutput. */
  async #inRegimes(): Promise<void> {
    const found = await this.#spend(() => this.#prepared.verifyRegimes());
    this.#dispatches += found.length;
    for (const { words, verdict } of found) {
      const { worst } = verdict;
      if (!worst) continue;
      const { row, col, got, want } = worst;
      const reason = `element [${row}, ${col}] is ${got}, should be ${want}, on ${words}`;
      throw new WrongOutput('before', { ...verdict, reason });
    }
  }

  /**
   * Waits until the host has proved the references, for which it has had the warm-up: from now on
   * it is to be quiet. Throws ReferenceWrong.
   */
  async proved(): Promise<void> {
    await this.#spend(() => this.#prepared.proved());
  }

  /**
   * Poisons everything before a series, of which samples are verified on the spot if it is cold.
   */
  async beforeSeries({ isCold }: { isCold: boolean }): Promise<void> {
    this.#isWatching = isCold;
    this.#written = 0;
    this.#unseen = 0;
    await this.#spend(() => this.#prepared.poison(this.#draw(2) ? 'nan' : 'stale'));
  }

  /** Samples, of which some are verified once they have been timed. Throws WrongOutput. */
  readonly sampler: Pick<Prepared, 'sample'> = {
    sample: async (options) => {
      // As many samples at once as there are sets: each look at outputs costs waits for the device.
      const fit = Math.max(1, Math.floor(this.#prepared.bufferSets / options.dispatches));
      if (this.#isInStretch && this.#unseen === 0) {
        if (this.#inStretch === 0) await this.#beforeStretch();
        await this.#poisonNext(fit * options.dispatches);
      }
      const sample = await this.#prepared.sample(options);
      if (options.rotate) this.#written += options.dispatches;
      if (this.#isWatching) await this.#onTheSpot(options.dispatches);
      return sample;
    },
  };

  /** The outputs that the cold series left in all of its sets. Throws WrongOutput. */
  async afterCold(): Promise<Verification> {
    this.#isWatching = false;
    const sets = this.#lastSets(this.#written);
    return this.#verify('after', sets, sets.length);
  }

  async afterHot(): Promise<void> {
    await this.#verify('after', [0], 1);
  }

  /**
   * Dispatches on inputs that did not exist before, over outputs that could be earlier results.
   * Returns their time, ns each: a kernel that keeps results to save work takes longer. An output of
   * each round is verified, so that no round is quick because a stale value was right by luck.
   * Throws WrongOutput.
   *
   * @param dispatches of a sample; at most one per set are run
   * @param rounds at most, of which the quickest counts: one may be slow by chance
   * @param mostNs a round within it is the last: the kernel is no slower on new inputs
   */
  async onFreshInputs(dispatches: number, rounds: number, mostNs = 0): Promise<number> {
    const prepared = this.#prepared;
    const each = Math.min(dispatches, prepared.bufferSets);
    let leastNs = Number.POSITIVE_INFINITY;
    for (let round = 0; round < rounds && leastNs > mostNs; round++) {
      await this.#spend(() => prepared.refill(this.#secrets('inputs', 1 + round)));
      await this.#spend(() => prepared.poison('stale'));
      const { ns } = await prepared.sample({ dispatches: each, rotate: true });
      leastNs = Math.min(leastNs, ns / each);
      const sets = this.#lastSets(each);
      await this.#verify('after', [sets[this.#draw(sets.length)] ?? 0], 1);
    }
    return leastNs;
  }

  async #onTheSpot(dispatches: number): Promise<void> {
    const { bufferSets } = this.#prepared;
    const isInStretch = this.#isInStretch;
    this.#samples++;
    if (isInStretch) {
      // Only the last output of a set can be seen: with fewer sets than dispatches, others follow.
      while (dispatches > bufferSets && this.#inStretch < STRETCH_DISPATCHES) {
        await this.#poisonNext(bufferSets);
        await this.#spend(() => this.#prepared.sample({ dispatches: bufferSets, rotate: true }));
        this.#written += bufferSets;
        await this.#verifyLast(bufferSets);
      }
      if (dispatches > bufferSets) return;
      this.#unseen += dispatches;
      const isLast = this.#inStretch + this.#unseen >= STRETCH_DISPATCHES;
      if (isLast || this.#unseen + dispatches > bufferSets) await this.#verifyLast(this.#unseen);
    } else if (this.#spots < MOST_SPOTS && this.#draw(SPOT_EVERY) === 0) {
      this.#spots++;
      const sets = this.#lastSets(dispatches);
      const from = this.#draw(sets.length);
      const some = [...sets.slice(from), ...sets.slice(0, from)].slice(0, SETS_PER_SPOT);
      await this.#verify('after', some, some.length);
    }
  }

  /** The stretch writes over what the samples before it left, of which nothing else was poisoned. */
  async #beforeStretch(): Promise<void> {
    const sets = this.#lastSets(this.#written);
    if (sets.length > 0) await this.#verify('after', sets, sets.length);
  }

  get #isInStretch(): boolean {
    const isLeft = this.#inStretch < STRETCH_DISPATCHES;
    return this.#isWatching && isLeft && this.#samples >= this.#stretchBegins;
  }

  /** The outputs of the next dispatches: what they do not write is then not right by luck. */
  async #poisonNext(dispatches: number): Promise<void> {
    const { bufferSets, lastSet } = this.#prepared;
    const next = Array.from(
      { length: Math.min(dispatches, bufferSets) },
      (_, i) => (lastSet + 1 + i) % bufferSets,
    );
    this.#written = Math.min(this.#written, bufferSets - next.length);
    await this.#spend(() => this.#prepared.poison('stale', next));
  }

  async #verifyLast(dispatches: number): Promise<void> {
    this.#inStretch += dispatches;
    this.#unseen = 0;
    await this.#verify('after', this.#lastSets(dispatches), dispatches);
  }

  /** The sets that the last rotated dispatches wrote. */
  #lastSets(dispatches: number): number[] {
    const { bufferSets, lastSet } = this.#prepared;
    return Array.from(
      { length: Math.min(dispatches, bufferSets) },
      (_, back) => (lastSet - back + bufferSets) % bufferSets,
    );
  }

  async #verify(
    when: 'before' | 'after',
    sets: readonly number[],
    dispatches: number,
  ): Promise<Verification> {
    const beganNs = this.#nowNs();
    const verdict = await this.#spend(() => this.#prepared.verify(sets));
    if (verdict.worst) {
      // Before the kernel is blamed.
      await this.proved();
      throw new WrongOutput(when, verdict);
    }
    this.#dispatches += dispatches;
    this.#squares += verdict.checked * verdict.rms ** 2;
    this.#checked += verdict.checked;
    const { method, worstRatio, checked } = verdict;
    return { method, worstRatio, checked, ns: this.#nowNs() - beganNs };
  }

  async #spend<T>(work: () => Promise<T>): Promise<T> {
    const beganNs = this.#nowNs();
    try {
      return await work();
    } finally {
      this.#spentNs += this.#nowNs() - beganNs;
    }
  }

  /** A secret choice among `count`. */
  #draw(count: number): number {
    return this.#secrets('choice', this.#drawn++) % count;
  }
}
