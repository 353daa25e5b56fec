import {
  type Pending,
  type Prepared,
  ReferenceWrong,
  type Sample,
  type SampleOptions,
  type Secrets,
  type Verdict,
} from '@tilemark/kernels';
import type { Outcome, Verification } from './outcome';
import type { Policy } from './policy';

/** While a series is timed, an output is verified after one in this many laps through the buffer sets, */
const LOOK_WITHIN = 2;
/** as long as that takes no more than this part of the time, but for the first few. */
const LOOK_PART = 0.01;
export const LEAST_LOOKS = 4;

/** Last outputs of a cold series that are verified, at most. */
const MOST_LAST = 32;

/** Hot samples of another length, of which the last output is verified. */
const HOT_LOOKS = 2;

/** How often at most new inputs are compared with seen ones. */
const FRESH_ROUNDS = 3;

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
 * The proof of one run: makes new inputs while its samples are taken, and verifies its outputs before,
 * while and after it is timed. What is looked at when follows from the run's seed, which the kernel
 * cannot know, and nothing in memory marks it: timed dispatches and those that are verified find new
 * inputs, and what an earlier dispatch made of others. docs/measure.md says what each step is for.
 */
export class Proof {
  readonly #prepared: Prepared;
  readonly #secrets: Secrets;
  readonly #nowNs: () => number;
  readonly #beganNs: number;
  #leastLooks = 0;
  #renewals = 0;
  #draws = 0;
  /** Dispatches since the inputs were made. */
  #written = Number.POSITIVE_INFINITY;
  #looks = 0;
  #lookNs = 0;
  #dispatches = 0;
  #spentNs = 0;
  /** Dispatches in the time spent that nothing timed, since one was timed last. */
  #untimed = 0;
  /** What that one took, ns. */
  #timedNs = Number.POSITIVE_INFINITY;
  #squares = 0;
  #checked = 0;

  /** @param nowNs a monotonic clock, ns */
  constructor(prepared: Prepared, secrets: Secrets, nowNs: () => number) {
    this.#prepared = prepared;
    this.#secrets = secrets;
    this.#nowNs = nowNs;
    this.#beganNs = nowNs();
  }

  /** Number of dispatches whose output was verified. */
  get dispatches(): number {
    return this.#dispatches;
  }

  /** Time spent, but for what dispatches took, ns. */
  get spentNs(): number {
    return Math.max(this.#spentNs, 0);
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
    await this.#sample({ dispatches: 1, rotate: false });
    await this.#verify('before', [0], 1);
    await this.#spend(() => prepared.poison('stale'));
    await this.#sample({ dispatches: 1, rotate: false });
    const verification = await this.#verify('before', [0], 1);
    await this.#inRegimes();
    return verification;
  }

  /** On inputs that show what the usual ones, fractions around 0, leave out. Throws WrongOutput. */
  async #inRegimes(): Promise<void> {
    const found = await this.#spend(() => this.#prepared.verifyRegimes());
    this.#dispatches += found.length;
    this.#untimed += found.length;
    for (const { words, verdict } of found) {
      const { worst } = verdict;
      if (!worst) continue;
      const { row, col, got, want } = worst;
      const reason = `element [${row}, ${col}] is ${got}, should be ${want}, on ${words}`;
      throw new WrongOutput('before', { ...verdict, reason });
    }
  }

  /**
   * Whether dispatches on the same inputs write the same bits; null if fewer than so many fit into `ns`.
   * Atomic sums, for one, add up in another order each time.
   */
  async repeats({ dispatches, ns }: Policy['repeats']): Promise<boolean | null> {
    const untilNs = this.#nowNs() + ns;
    const begun: Pending<string>[] = [];
    const differs = async (at: number) => {
      const print = await begun[at]?.answer;
      return at > 0 && print !== (await begun[at - 1]?.answer);
    };
    return this.#spend(async () => {
      while (begun.length < dispatches) {
        if (this.#nowNs() + this.#timedNs > untilNs) return null;
        begun.push(await this.#prepared.beginFingerprint());
        this.#untimed++;
        // The one before, while the device runs this one.
        if (await differs(begun.length - 2)) return false;
      }
      return dispatches > 0 ? !(await differs(dispatches - 1)) : null;
    });
  }

  /**
   * Consecutive dispatches of which each one's output is verified, as many as begin within `ns`:
   * what is wrong now and then is found. Throws WrongOutput.
   */
  async stretch({ dispatches, ns }: Policy['stretch']): Promise<void> {
    const prepared = this.#prepared;
    const beganNs = this.#nowNs();
    let lapNs = 0;
    await this.#spend(async () => {
      let noted = async () => {};
      for (let left = dispatches; left > 0 && this.#nowNs() + lapNs < beganNs + ns; ) {
        const count = Math.min(left, prepared.bufferSets);
        const sets = Array.from({ length: count }, (_, set) => set);
        // On the same inputs, since references take longer than dispatches.
        await prepared.poison('stale', sets);
        const { answer } = await prepared.beginJudged({ dispatches: count, rotate: true }, sets);
        this.#untimed += count;
        left -= count;
        // What was found of the lap before, while the device runs this one.
        await noted();
        noted = async () => this.#note('before', await answer, count);
        if (lapNs > 0) continue;
        await answer;
        lapNs = this.#nowNs() - beganNs;
      }
      await noted();
    });
    this.#written = Number.POSITIVE_INFINITY;
  }

  /**
   * Poisons everything before a series.
   *
   * @param looks at its outputs, however long they take; 0: it is not looked at
   */
  async beforeSeries({ looks }: { looks: number }): Promise<void> {
    this.#leastLooks = looks;
    this.#written = Number.POSITIVE_INFINITY;
    const kind = this.#draw('kind', 2) === 0 ? 'nan' : 'stale';
    await this.#spend(() => this.#prepared.poison(kind));
  }

  /**
   * Samples on inputs that no dispatch has seen together, as far as there are sets (rotation.ts): what
   * a kernel keeps is worth nothing. Some are verified once they have been timed. Throws WrongOutput.
   */
  readonly sampler: Pick<Prepared, 'sample'> = {
    sample: async (options) => {
      const { bufferSets, newTurns } = this.#prepared;
      const { dispatches, rotate } = options;
      if (!rotate || this.#written + dispatches > newTurns) await this.#renew(options);
      const sample = await this.#sample(options);
      this.#written += dispatches;
      const endsLap = this.#written % bufferSets < dispatches;
      if (this.#leastLooks > 0 && endsLap) await this.#look(options);
      return sample;
    },
  };

  /** The outputs that the cold series left. Throws WrongOutput. */
  async afterCold(): Promise<Verification> {
    this.#leastLooks = 0;
    const sets = this.#lastSets(this.#written);
    const from = this.#draw('last', sets.length);
    const some = [...sets.slice(from), ...sets.slice(0, from)].slice(0, MOST_LAST);
    return this.#verify('after', some, some.length, this.#part());
  }

  /**
   * The last output of the hot series, and those of samples that end earlier, which no kernel can
   * expect. Throws WrongOutput.
   */
  async afterHot(dispatches: number): Promise<void> {
    await this.#verify('after', [0], 1, this.#part());
    for (let look = 0; look < HOT_LOOKS && dispatches > 1; look++) {
      const shorter = { dispatches: 1 + this.#draw('length', dispatches - 1), rotate: false };
      await this.#renew(shorter);
      await this.#spend(() => this.#sample(shorter));
      await this.#verify('after', [0], 1, this.#part());
    }
  }

  /**
   * The time of a dispatch on new inputs over that on seen ones: more than 1 for a kernel that keeps
   * results. Seen are the inputs of the dispatch before, made once more; and, where a sample of the
   * series has more dispatches than there are pairs of inputs, all pairs that it meets again.
   *
   * @param most a ratio that needs no further round
   * @param dispatches of a sample of the series
   */
  async freshRatio(most: number, dispatches: number): Promise<number> {
    const { newTurns } = this.#prepared;
    const ofNext = await this.#freshRatio(most, 1, 0);
    if (dispatches <= newTurns) return ofNext;
    return Math.max(ofNext, await this.#freshRatio(most, newTurns, dispatches));
  }

  /**
   * Of samples of so many dispatches, the quickest on new inputs counts, and the slowest on those, made
   * once more, so that other work does not look like kept results. Up to `between` dispatches on the same
   * come between the two: no kernel can expect which sample it is.
   */
  async #freshRatio(most: number, count: number, between: number): Promise<number> {
    const timed = async (seed: number, dispatches = count) => {
      const options = { dispatches, rotate: true };
      await this.#prepared.refill(seed, options);
      return (await this.#sample(options)).ns;
    };
    let ratio = Number.POSITIVE_INFINITY;
    let [freshNs, seenNs] = [Number.POSITIVE_INFINITY, 0];
    for (let round = 0; round < FRESH_ROUNDS && ratio > most; round++) {
      const seed = this.#secrets('inputs', ++this.#renewals);
      freshNs = Math.min(freshNs, await this.#spend(() => timed(seed)));
      const more = between > 0 ? 1 + this.#draw('length', between) : 0;
      if (more > 0) await this.#spend(() => timed(seed, more));
      seenNs = Math.max(seenNs, await this.#spend(() => timed(seed)));
      ratio = freshNs / seenNs;
    }
    return ratio;
  }

  async #renew(next: SampleOptions): Promise<void> {
    const seed = this.#secrets('inputs', ++this.#renewals);
    await this.#spend(() => this.#prepared.refill(seed, next));
    this.#written = 0;
  }

  async #look({ dispatches, rotate }: SampleOptions): Promise<void> {
    const beganNs = this.#nowNs();
    const isDue =
      this.#looks < this.#leastLooks || this.#lookNs < LOOK_PART * (beganNs - this.#beganNs);
    if (this.#draw('look', LOOK_WITHIN) > 0 || !isDue) return;
    if (dispatches > this.#prepared.bufferSets) {
      // Of such a sample only the end can be seen: another one ends at any other place.
      const other = { dispatches: 1 + this.#draw('length', dispatches), rotate };
      await this.#renew(other);
      await this.#spend(() => this.#sample(other));
      this.#written = other.dispatches;
    }
    const sets = this.#lastSets(this.#written);
    const set = sets[this.#draw('set', sets.length)] ?? 0;
    await this.#verify('after', [set], 1, this.#part());
    this.#looks++;
    this.#lookNs += this.#nowNs() - beganNs;
  }

  /** The sets that the last rotated dispatches wrote. */
  #lastSets(dispatches: number): number[] {
    const { bufferSets, lastSet } = this.#prepared;
    return Array.from(
      { length: Math.min(dispatches, bufferSets) },
      (_, back) => (lastSet - back + bufferSets) % bufferSets,
    );
  }

  /** @param part of each output; absent: the whole */
  async #verify(
    when: 'before' | 'after',
    sets: readonly number[],
    dispatches: number,
    part?: number,
  ): Promise<Verification> {
    const beganNs = this.#nowNs();
    const verdict = await this.#spend(() => this.#prepared.verify(sets, part));
    this.#note(when, verdict, dispatches);
    const { method, worstRatio, checked } = verdict;
    return { method, worstRatio, checked, ns: this.#nowNs() - beganNs };
  }

  /** Counts the outputs of some dispatches as right. Throws WrongOutput. */
  #note(when: 'before' | 'after', verdict: Verdict, dispatches: number): void {
    if (verdict.worst) throw new WrongOutput(when, verdict);
    this.#dispatches += dispatches;
    this.#squares += verdict.checked * verdict.rms ** 2;
    this.#checked += verdict.checked;
  }

  /** Dispatches that nothing timed took as long as the quicker of those timed before and after them. */
  async #sample(options: SampleOptions): Promise<Sample> {
    const sample = await this.#prepared.sample(options);
    const timedNs = sample.ns / options.dispatches;
    this.#spentNs -= this.#untimed * Math.min(this.#timedNs, timedNs);
    this.#untimed = 0;
    this.#timedNs = timedNs;
    return sample;
  }

  async #spend<T>(work: () => Promise<T>): Promise<T> {
    const beganNs = this.#nowNs();
    try {
      return await work();
    } finally {
      this.#spentNs += this.#nowNs() - beganNs;
    }
  }

  /** The part of an output that is looked at, where the whole takes long. */
  #part(): number {
    return this.#draw('part', this.#prepared.parts);
  }

  /** A secret choice among `count`, another each time. */
  #draw(purpose: string, count: number): number {
    return this.#secrets(purpose, ++this.#draws) % count;
  }
}
