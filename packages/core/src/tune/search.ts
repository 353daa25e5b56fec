import { hash32 } from '@tilemark/kernels';
import type { Point, TuningSpace } from './space';

/** A kernel is searched only while its best is within this many times the leader's. */
const CONTENDS_WITHIN = 3;

/**
 * Turns: the leader's hill is climbed, then that of another kernel, then the leader's
 * again, then a random point is tried, which finds other hills. A kernel that starts far
 * from its best has its climbs that way before the leader's hill is exhausted.
 */
const TURNS = ['leader', 'contender', 'leader', 'random'] as const;

/** Random points of a kernel none of which has worked: then it is given up. */
const TRIES_WITHOUT_SUCCESS = 6;

/** A step of two tunables counts as this much less promising than one of one. */
const DIAGONAL_HANDICAP = 1.05;

interface Slope {
  readonly kernel: string;
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
 * far, with steps of the kernels behind the leader and random points between. What is proposed follows from the seed and from what
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
  #contended = 0;

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
    const turn = TURNS[this.#turn++ % TURNS.length];
    const point =
      (turn === 'random' && this.#explore()) ||
      (turn === 'contender' && this.#climbContender()) ||
      this.#climb() ||
      this.#explore();
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
      { kernel: space.kernel.id, cost, steps: () => space.neighbours(point), left: null },
      {
        kernel: space.kernel.id,
        cost: cost * DIAGONAL_HANDICAP,
        steps: () => space.diagonals(point),
        left: null,
      },
    );
    this.#slopes.sort((a, b) => a.cost - b.cost);
  }

  #propose(point: Point): Point {
    this.#proposed.add(point.address);
    return point;
  }

  /** A step away from the best point, of a kernel or of all, that has one left. */
  #climb(kernel?: string): Point | null {
    for (const slope of this.#slopes) {
      if (kernel !== undefined && slope.kernel !== kernel) continue;
      slope.left ??= shuffle(slope.steps(), this.#seed);
      for (let point = slope.left.pop(); point; point = slope.left.pop()) {
        if (!this.#proposed.has(point.address)) return point;
      }
    }
    return null;
  }

  /** A step of the next kernel, in turn, that may still win and does not lead. */
  #climbContender(): Point | null {
    const leader = this.#leader();
    const contenders = [...this.#fields.values()].filter(
      ({ best }) => best > leader && best <= CONTENDS_WITHIN * leader,
    );
    const field = contenders[this.#contended++ % contenders.length];
    return field ? this.#climb(field.space.kernel.id) : null;
  }

  /** A random point of the kernels in turn that may still win. */
  #explore(): Point | null {
    const leader = this.#leader();
    const open = [...this.#fields.values()].filter(
      ({ best, tries, isExhausted }) =>
        !isExhausted &&
        (best <= CONTENDS_WITHIN * leader ||
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

  /** Cost of the best point so far. */
  #leader(): number {
    return Math.min(...[...this.#fields.values()].map(({ best }) => best));
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
