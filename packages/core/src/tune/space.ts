import {
  hash32,
  type Kernel,
  resolveVariant,
  type Tunable,
  type TunableValue,
  type TunableValues,
  type Variant,
} from '@tilemark/kernels';

/** A variant that can run, with its canonical address. */
export interface Point extends Variant {
  readonly address: string;
}

/**
 * Workgroups that keep a large GPU busy: an NVIDIA H200 has 132 multiprocessors, each with room for
 * two of the workgroups that large tiles need.
 */
const FILLING_WORKGROUPS = 256;

interface SpaceOptions {
  /** Values to try for some tunables; absent: every declared value. */
  readonly only?: Readonly<Record<string, readonly TunableValue[]>>;
  /** Whether a variant can run; checked before anything is compiled. */
  readonly fits: (variant: Variant) => boolean;
  /** How many workgroups a variant dispatches; absent if unknown or irrelevant. */
  readonly workgroups?: (variant: Variant) => number;
}

/**
 * The variants of a kernel that fit, never listed: a space of a million combinations costs only
 * what is asked of it.
 */
export class TuningSpace {
  readonly kernel: Kernel;
  /** Combinations of values, including those that do not fit. */
  readonly combinations: number;
  readonly #axes: readonly Pick<Tunable, 'name' | 'values' | 'default'>[];
  readonly #fits: SpaceOptions['fits'];
  readonly #workgroups: SpaceOptions['workgroups'];

  constructor(kernel: Kernel, { only = {}, fits, workgroups }: SpaceOptions) {
    this.kernel = kernel;
    this.#axes = kernel.tunables.map(({ name, values, default: initial }) => {
      const tried = only[name] ?? values;
      return {
        name,
        values: tried,
        default: tried.includes(initial) ? initial : (tried[0] ?? initial),
      };
    });
    this.combinations = this.#axes.reduce((count, { values }) => count * values.length, 1);
    this.#fits = fits;
    this.#workgroups = workgroups;
  }

  /** The variant of all defaults; null if it does not fit. */
  initial(): Point | null {
    return this.#point(Object.fromEntries(this.#axes.map((axis) => [axis.name, axis.default])));
  }

  /**
   * If the variant of all defaults dispatches too few workgroups to keep a large GPU busy: the one
   * that differs in one tunable and dispatches enough, or else the most; otherwise null. For a
   * small or skinny C, the defaults of a kernel with large tiles are useless as a start.
   */
  filling(): Point | null {
    const start = this.initial();
    const workgroups = this.#workgroups;
    if (!start || !workgroups || workgroups(start) >= FILLING_WORKGROUPS) return null;
    const counted = [...this.neighbours(start), ...this.jumps(start)]
      .map((point) => ({ point, count: workgroups(point) }))
      .filter(({ count }) => count > workgroups(start))
      .toSorted((a, b) => a.count - b.count);
    return (
      (counted.find(({ count }) => count >= FILLING_WORKGROUPS) ?? counted.at(-1))?.point ?? null
    );
  }

  /** Whether a point is one of its own. */
  has(point: Point): boolean {
    return point.kernel === this.kernel.id && this.like(point)?.address === point.address;
  }

  /** The point with another kernel's settings, as far as both have them; null if it does not fit. */
  like({ tunables }: Point): Point | null {
    const shared = this.#axes.map(({ name, values, default: initial }) => {
      const value = values.find((value) => value === tunables[name]);
      return [name, value ?? initial];
    });
    return this.#point(Object.fromEntries(shared));
  }

  /** Every point once, in an order determined by the seed. */
  *shuffled(seed: number): Generator<Point, null> {
    for (const point of this.#looks(seed, this.combinations)) if (point) yield point;
    return null;
  }

  /**
   * The default point, or else the first of so many combinations that fits; null: none does. Yields
   * after each that does not, so that others may have a turn: to look at one may be to read its source.
   */
  *first(looks: number): Generator<void, Point | null> {
    const initial = this.initial();
    if (initial) return initial;
    for (const point of this.#looks(0, looks)) {
      if (point) return point;
      yield;
    }
    return null;
  }

  *#looks(seed: number, most: number): Generator<Point | null, void> {
    const place = permutation(this.combinations, seed);
    for (let i = 0; i < Math.min(most, this.combinations); i++)
      yield this.#point(this.#combination(place(i)));
  }

  /** Points that differ in one tunable: the next number that fits, up or down, or any other word. */
  neighbours(point: Point): Point[] {
    return this.#along(point).flatMap((direction) => direction.slice(0, 1));
  }

  /** Points that differ in one number by more than a step. */
  jumps(point: Point): Point[] {
    return this.#along(point).flatMap((direction) => direction.slice(1));
  }

  /** Points that differ in one tunable, by direction, nearest first. */
  #along({ tunables }: Point): Point[][] {
    return this.#axes.flatMap(({ name, values }) =>
      directionsFrom(values, tunables[name]).map((direction) =>
        direction.flatMap((value) => this.#point({ ...tunables, [name]: value }) ?? []),
      ),
    );
  }

  /**
   * Points that differ in two tunables by one step each, since constraints often couple two of
   * them: separately those where both numbers grow or both shrink, like the sides of a tile, and
   * the others.
   */
  diagonals({ tunables }: Point): { together: Point[]; apart: Point[] } {
    const together: Point[] = [];
    const apart: Point[] = [];
    for (const [i, first] of this.#axes.entries()) {
      const from = tunables[first.name];
      for (const second of this.#axes.slice(i + 1)) {
        for (const a of stepsFrom(first.values, from)) {
          for (const b of stepsFrom(second.values, tunables[second.name])) {
            const point = this.#point({ ...tunables, [first.name]: a, [second.name]: b });
            const ways = [grows(from, a), grows(tunables[second.name], b)];
            if (point) (ways[0] !== null && ways[0] === ways[1] ? together : apart).push(point);
          }
        }
      }
    }
    return { together, apart };
  }

  #point(tunables: TunableValues): Point | null {
    const variant = { kernel: this.kernel.id, tunables };
    if (!this.kernel.constraints.every(({ holds }) => holds(tunables))) return null;
    if (!this.#fits(variant)) return null;
    return { ...variant, address: resolveVariant(variant.kernel, tunables).address };
  }

  /** The combination with this index; the first axis is its lowest digit. */
  #combination(index: number): TunableValues {
    let rest = index;
    const values: Record<string, TunableValue> = {};
    for (const axis of this.#axes) {
      const value = axis.values[rest % axis.values.length];
      if (value === undefined) throw new RangeError(`${axis.name} has no values to try`);
      values[axis.name] = value;
      rest = Math.floor(rest / axis.values.length);
    }
    return values;
  }
}

/** Values on either side of one, nearest first; words have no sides, so each is a direction. */
function directionsFrom(
  values: readonly TunableValue[],
  from: TunableValue | undefined,
): TunableValue[][] {
  const others = values.filter((value) => value !== from);
  if (others.some((value) => typeof value === 'string')) return others.map((value) => [value]);
  const at = Number(from);
  const ascending = others.map(Number).toSorted((a, b) => a - b);
  return [
    ascending.filter((value) => value > at),
    ascending.filter((value) => value < at).reverse(),
  ];
}

const stepsFrom = (values: readonly TunableValue[], from: TunableValue | undefined) =>
  directionsFrom(values, from).flatMap((direction) => direction.slice(0, 1));

/** Whether a number grows; null for words. */
const grows = (from: TunableValue | undefined, to: TunableValue) =>
  typeof from === 'number' && typeof to === 'number' ? to > from : null;

const ROUNDS = [1, 2, 3, 4];

/**
 * A pseudo-random permutation of 0 .. length-1, computed rather than stored: a Feistel network over
 * the next even number of bits, walked until it lands inside (J. Black and P. Rogaway, Ciphers with
 * arbitrary finite domains, 2002).
 */
function permutation(length: number, seed: number): (index: number) => number {
  const half = 2 ** Math.ceil(Math.log2(Math.max(length, 2)) / 2);
  const scramble = (value: number) => {
    let [left, right] = [Math.floor(value / half), value % half];
    for (const round of ROUNDS) {
      const mixed = hash32(right + hash32(seed + round)) % half;
      [left, right] = [right, (left + mixed) % half];
    }
    return left * half + right;
  };
  return (index) => {
    let value = scramble(index);
    while (value >= length) value = scramble(value);
    return value;
  };
}
