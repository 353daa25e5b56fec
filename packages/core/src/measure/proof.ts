import {
  type Pending,
  type Prepared,
  ReferenceWrong,
  type Sample,
  type SampleOptions,
  type Secrets,
  type Verdict,
} from '@tilemark/kernels';
import { median } from 'd3-array';
import { COMPUTES_NAN, type Outcome, type Verification } from './outcome';
import type { Policy } from './policy';

/**
 * While a series is timed, outputs are verified, and samples repeated on the same inputs, at drawn
 * times to its end: the next of `n` samples within so many times `n` that follow. Outputs are verified
 * after one sample in so many, too, while that takes no more than this part of the time.
 */
const GAP = { look: 2, fresh: 4 };
const LOOK_WITHIN = 2;
const LOOK_PART = 0.01;

/** Outputs that are verified at most: of a lap of the stretch, and of the last sample of a series. */
const MOST_OF_LAP = 8;
const LEAST_OF_LAP = 2;
const MOST_LAST = 8;

/** Hot samples of another length, of which the last output is verified. */
const HOT_LOOKS = 2;

/** Samples on new inputs that are repeated on the same: at least, and before a kernel counts as keeping results. */
const FRESH = { least: 3, most: 7 };

/**
 * Before one sample in so many, inputs are made again although they would last, and at one in so many
 * of these times all that the kernel may write is poisoned.
 */
const RENEW_WITHIN = 16;
const POISON_WITHIN = 4;

/** An output that is wrong: ends the run as `incorrect`. */
export class WrongOutput extends Error {
  override readonly name = 'WrongOutput';
  readonly outcome: Extract<Outcome, { kind: 'incorrect' }>;

  constructor(when: 'before' | 'after', { worst, reason, beyond, checked, rms }: Verdict) {
    super('the output is wrong');
    const element = worst ?? { row: 0, col: 0, got: 'unknown', want: 0, bound: 0 };
    const details = { ...(reason !== null && { reason }), beyond, checked };
    this.outcome = {
      kind: 'incorrect',
      when,
      worst: element,
      ...details,
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
  #series: Series = { looks: 0, isRepeated: false };
  #renewals = 0;
  #draws = 0;
  /** Dispatches since the inputs were made, and how many of them find pairs that never met. */
  #written = Number.POSITIVE_INFINITY;
  #room = 0;
  #looks = 0;
  #lookNs = 0;
  readonly #lookTimes: DrawnTimes;
  readonly #freshTimes: DrawnTimes;
  /** Times of samples on new inputs, and again on the same. */
  readonly #fresh: { readonly ns: number; readonly seenNs: number }[] = [];
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
    const timesOf = (purpose: 'look' | 'fresh') =>
      new DrawnTimes(GAP[purpose], (count) => this.#draw(purpose, count));
    this.#lookTimes = timesOf('look');
    this.#freshTimes = timesOf('fresh');
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
   * Two dispatches by themselves: one finds NaN, the other what could be an earlier result. The
   * references are audited while the stretch runs. Throws WrongOutput; ReferenceWrong if nothing can be
   * verified here.
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
    const verdicts = await this.#spend(() => this.#prepared.verifyRegimes());
    this.#dispatches += verdicts.length;
    this.#untimed += verdicts.length;
    for (const { words, verdict } of verdicts) {
      const { worst } = verdict;
      if (!worst) continue;
      const { row, col, got, want } = worst;
      const reason = `element [${row}, ${col}] is ${got}, should be ${want}, on ${words}`;
      await this.#wrong('before', { ...verdict, reason });
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
    // Where a reference takes long, fewer sets have one.
    const setsOfLap = Math.max(Math.floor(MOST_OF_LAP / prepared.parts), LEAST_OF_LAP);
    let lapNs = 0;
    await this.#spend(async () => {
      let noted = async () => {};
      for (let left = dispatches; left > 0 && this.#nowNs() + lapNs < beganNs + ns; ) {
        const count = Math.min(left, prepared.bufferSets, setsOfLap);
        const sets = Array.from({ length: count }, (_, set) => set);
        // On the same inputs, since references take longer than dispatches.
        await prepared.poison('stale', count);
        const { answer } = await prepared.beginJudged({ dispatches: count, rotate: true }, sets);
        this.#untimed += count;
        left -= count;
        // What was found of the lap before, while the device runs this one.
        await prepared.audit();
        await noted();
        noted = async () => this.#note('before', await answer, count);
        if (lapNs > 0) continue;
        await answer;
        lapNs = this.#nowNs() - beganNs;
      }
      await prepared.audit();
      await noted();
    });
    this.#written = Number.POSITIVE_INFINITY;
  }

  /** Poisons everything before a series. */
  async beforeSeries(series: Series): Promise<void> {
    this.#series = series;
    this.#looks = 0;
    this.#written = Number.POSITIVE_INFINITY;
    await this.#poison();
  }

  /**
   * Samples on inputs of which no two met before (rotation.ts): what a kernel keeps is worth nothing.
   * Some are verified once they have been timed, some repeated on the same inputs. Throws WrongOutput.
   */
  get sampler(): Pick<Prepared, 'newTurns' | 'sample'> {
    const { newTurns } = this.#prepared;
    return {
      newTurns,
      sample: async (options) => {
        const { dispatches, rotate } = options;
        const isRepeated = this.#series.isRepeated && this.#freshTimes.isDue();
        const isDrawn = this.#draw('renew', RENEW_WITHIN) === 0;
        if (!rotate || isRepeated) await this.#renew(options);
        else if (isDrawn || this.#written + dispatches > this.#room) await this.#renew();
        const sample = await this.#sample(options);
        this.#written += dispatches;
        if (isRepeated) await this.#repeat(options, sample);
        if (this.#isLookDue()) await this.#look(options);
        return sample;
      },
    };
  }

  /**
   * The outputs that the cold series left, and those of one more sample, whose length no kernel can
   * know. Throws WrongOutput.
   */
  async afterCold(dispatches: number): Promise<Verification> {
    this.#series = { looks: 0, isRepeated: false };
    const last = await this.#verifyLast();
    if (dispatches > 1) {
      await this.#sampleOfSecretLength(dispatches, true);
      await this.#verifyLast();
    }
    return last;
  }

  /**
   * The last output of the hot series, and those of samples that end earlier, which no kernel can
   * expect. Throws WrongOutput.
   */
  async afterHot(dispatches: number): Promise<void> {
    await this.#verify('after', [0], 1, this.#part());
    for (let look = 0; look < HOT_LOOKS && dispatches > 1; look++) {
      await this.#sampleOfSecretLength(dispatches - 1, false);
      await this.#verify('after', [0], 1, this.#part());
    }
  }

  /**
   * The median time of samples on new inputs over that of the same made once more: more than 1 for a
   * kernel that keeps results. Most were taken during the series, at drawn times.
   *
   * @param most a ratio that needs no more of them
   */
  async freshRatio(most: number, dispatches: number): Promise<number> {
    const options = { dispatches, rotate: true };
    for (;;) {
      const taken = this.#fresh.length;
      const ratio = medianOf(this.#fresh, 'ns') / medianOf(this.#fresh, 'seenNs');
      if (taken >= (ratio > most ? FRESH.most : FRESH.least)) return ratio;
      await this.#renew(options);
      await this.#repeat(options, await this.#spend(() => this.#sample(options)));
    }
  }

  /** A sample once more, on inputs that were made again as they were. */
  async #repeat(options: SampleOptions, { ns }: Sample): Promise<void> {
    const again = await this.#spend(async () => {
      await this.#prepared.refill(this.#inputsSeed(), options);
      return this.#sample(options);
    });
    this.#fresh.push({ ns, seenNs: again.ns });
  }

  /** @param most dispatches */
  async #sampleOfSecretLength(most: number, rotate: boolean): Promise<void> {
    const options = { dispatches: 1 + this.#draw('length', most), rotate };
    await this.#renew(options);
    await this.#spend(() => this.#sample(options));
    this.#written = options.dispatches;
  }

  /** Of the inputs as they are. */
  #inputsSeed(): number {
    return this.#secrets('inputs', this.#renewals);
  }

  /** @param next what alone finds new inputs; absent: all up to the next renewal */
  async #renew(next?: SampleOptions): Promise<void> {
    if (this.#draw('poison', POISON_WITHIN) === 0) await this.#poison();
    this.#renewals++;
    await this.#spend(() => this.#prepared.refill(this.#inputsSeed(), next));
    this.#written = 0;
    this.#room = next?.dispatches ?? this.#prepared.newTurns;
  }

  async #poison(): Promise<void> {
    const kind = this.#draw('kind', 2) === 0 ? 'nan' : 'stale';
    await this.#spend(() => this.#prepared.poison(kind));
  }

  #isLookDue(): boolean {
    const { looks } = this.#series;
    if (looks === 0) return false;
    const isDrawn = this.#lookTimes.isDue() && this.#looks < looks;
    const isWithin = this.#draw('look', LOOK_WITHIN) === 0;
    const isCheap = this.#lookNs < LOOK_PART * (this.#nowNs() - this.#beganNs);
    return isDrawn || (isWithin && isCheap && looks > 1);
  }

  async #look({ dispatches, rotate }: SampleOptions): Promise<void> {
    const beganNs = this.#nowNs();
    // Of such a sample only the end can be seen: another one ends at any other place.
    if (dispatches > this.#prepared.bufferSets)
      await this.#sampleOfSecretLength(dispatches, rotate);
    const sets = this.#lastSets(this.#written);
    const set = sets[this.#draw('set', sets.length)] ?? 0;
    await this.#verify('after', [set], 1, this.#part());
    this.#looks++;
    this.#lookNs += this.#nowNs() - beganNs;
  }

  async #verifyLast(): Promise<Verification> {
    const sets = this.#lastSets(this.#written);
    const from = this.#draw('last', sets.length);
    const some = [...sets.slice(from), ...sets.slice(0, from)].slice(0, MOST_LAST);
    return this.#verify('after', some, some.length, this.#part());
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
    await this.#note(when, verdict, dispatches);
    const { method, worstRatio, checked } = verdict;
    return { method, worstRatio, checked, ns: this.#nowNs() - beganNs };
  }

  /** Counts the outputs of some dispatches as right. Throws WrongOutput. */
  async #note(when: 'before' | 'after', verdict: Verdict, dispatches: number): Promise<void> {
    if (verdict.worst) await this.#wrong(when, verdict);
    this.#dispatches += dispatches;
    this.#squares += verdict.checked * verdict.rms ** 2;
    this.#checked += verdict.checked;
  }

  /** Throws WrongOutput; ReferenceWrong if that is what was wrong. */
  async #wrong(when: 'before' | 'after', verdict: Verdict): Promise<never> {
    await this.#spend(() => this.#prepared.audit());
    const isUnset = when === 'before' && verdict.worst?.got === 'NaN' && verdict.reason === null;
    throw new WrongOutput(when, isUnset ? await this.#overNumbers(verdict) : verdict);
  }

  /** Of NaN, whether the kernel left it or computes it: then it is there instead of numbers, too. */
  async #overNumbers(verdict: Verdict): Promise<Verdict> {
    await this.#prepared.poison('stale');
    await this.#prepared.sample({ dispatches: 1, rotate: false });
    const { worst } = await this.#prepared.verify([0]);
    if (worst?.got !== 'NaN') return verdict;
    const { row, col, want } = worst;
    const reason = `element [${row}, ${col}] is NaN, should be ${want}${COMPUTES_NAN}`;
    return { ...verdict, worst, reason };
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

/** How a series is watched. */
interface Series {
  /** At its outputs, at drawn times; 0: it is not looked at. */
  readonly looks: number;
  /** Whether some samples are taken again on the same inputs. */
  readonly isRepeated: boolean;
}

/** Times drawn to the end of a series, however long it is, each later than a part of those before. */
class DrawnTimes {
  readonly #gap: number;
  readonly #draw: (count: number) => number;
  #count = 0;
  #next = 0;

  /** @param draw a secret choice among `count` */
  constructor(gap: number, draw: (count: number) => number) {
    this.#gap = gap;
    this.#draw = draw;
  }

  /** Whether it is the time of one; counts as one. */
  isDue(): boolean {
    if (this.#count++ < this.#next) return false;
    this.#next = this.#count + this.#draw(this.#gap * this.#count);
    return this.#count > 1;
  }
}

const medianOf = <K extends string>(rows: readonly Readonly<Record<K, number>>[], key: K): number =>
  median(rows, (row) => row[key]) ?? Number.NaN;
