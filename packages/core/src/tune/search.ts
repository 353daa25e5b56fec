import { hash32 } from '@tilemark/kernels';
import type { Point, TuningSpace } from './space';

/** A kernel is explored at random only while its best is within this many times the leader's. */
const EXPLORED_WITHIN = 3;

/** Of so many points one is random, which finds other hills; the rest climb. */
const EXPLORE_EVERY = 4;

/** Random points of a kernel none of which has worked: then it is given up. */
const TRIES_WITHOUT_SUCCESS = 6;

/** A step of two tunables counts as this much less promising than one of one. */
const DIAGONAL_HANDICAP = 1.05;

interface Slope {
  /** Cost that it promises: that of the point it starts from. */
  readonly cost: number;
  readonly steps: () => Point[];
  left: Point[] | null;
}

interface Field {
  readonly space: TuningSpace;
  readonly random: Generator<Point, null>;
  best: number;
  tries: number;
  isExhausted: boolean;
}

/**
 * Looks for the variant of least cost: `next` proposes, `tell` says what it cost. First
 * the default of each kernel, then best-first hill climbing from whatever was best so
 * far, with random points between. What is proposed follows from the seed and from what
 * was told and from nothing else, so a search that is told again what it was told before
 * goes on where it stopped. No point is proposed twice.
 */
export class Search {
  readonly #seed: number;
  readonly #fields: ReadonlyMap<string, Field>;
  readonly #starts: Point[];
  readonly #proposed = new Set<string>();
  #slopes: Slope[] = [];
  #turn = 0;
  #explored = 0;

  constructor(spaces: readonly TuningSpace[], seed: number) {
    this.#seed = seed;
    this.#fields = new Map(
      spaces.map((space, index) => {
        const random = space.shuffled(hash32(seed + index));
        const best = Number.POSITIVE_INFINITY;
        return [space.kernel.id, { space, random, best, tries: 0, isExhausted: false }];
      }),
    );
    this.#starts = spaces.flatMap((space) => space.initial() ?? []);
  }

  /** The next point to measure; null when every point worth it has been proposed. */
  next(): Point | null {
    const start = this.#starts.shift();
    if (start) return this.#propose(start);
    const explores = ++this.#turn % EXPLORE_EVERY === 0;
    const point = explores
      ? (this.#explore() ?? this.#climb())
      : (this.#climb() ?? this.#explore());
    return point && this.#propose(point);
  }

  /** @param cost any measure of which less is better; null when the point failed or was wrong */
  tell(point: Point, cost: number | null): void {
    const field = this.#fieldOf(point);
    field.tries++;
    if (cost === null) return;
    field.best = Math.min(field.best, cost);
    const { space } = field;
    this.#slopes.push(
      { cost, steps: () => space.neighbours(point), left: null },
      { cost: cost * DIAGONAL_HANDICAP, steps: () => space.diagonals(point), left: null },
    );
    this.#slopes.sort((a, b) => a.cost - b.cost);
  }

  #propose(point: Point): Point {
    this.#proposed.add(point.address);
    return point;
  }

  /** A step away from the best point that has one left. */
  #climb(): Point | null {
    for (const slope of this.#slopes) {
      slope.left ??= shuffle(slope.steps(), this.#seed);
      for (let point = slope.left.pop(); point; point = slope.left.pop()) {
        if (!this.#proposed.has(point.address)) return point;
      }
    }
    this.#slopes = [];
    return null;
  }

  /** A random point of the kernels in turn that may still win. */
  #explore(): Point | null {
    const fields = [...this.#fields.values()];
    const leader = Math.min(...fields.map(({ best }) => best));
    const open = fields.filter(
      ({ best, tries, isExhausted }) =>
        !isExhausted &&
        (best <= EXPLORED_WITHIN * leader ||
          (best === Number.POSITIVE_INFINITY && tries < TRIES_WITHOUT_SUCCESS)),
    );
    const field = open[this.#explored++ % open.length];
    if (!field) return null;
    for (let { value } = field.random.next(); value; value = field.random.next().value) {
      if (!this.#proposed.has(value.address)) return value;
    }
    field.isExhausted = true;
    return this.#explore();
  }

  #fieldOf(point: Point): Field {
    const field = this.#fields.get(point.kernel);
    if (!field) throw new RangeError(`${point.kernel} is not among the kernels searched`);
    return field;
  }
}

/** Fisher and Yates, with the hash that inputs are made of as the source of chance. */
function shuffle<T>(items: readonly T[], seed: number): T[] {
  const out = [...items];
  for (let i = out.length - 1; i > 0; i--) {
    const j = hash32(seed + i) % (i + 1);
    [out[i], out[j]] = [out[j] as T, out[i] as T];
  }
  return out;
}
