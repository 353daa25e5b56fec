import { hash32 } from '@tilemark/kernels';
import type { Point, TuningSpace } from './space';

/** A kernel is searched only while its best is within this many times the leader's. */
const CONTENDS_WITHIN = 3;

/**
 * Turns: a step from the best point of all, then one of another kernel, then from the best again,
 * then one on a separate hill that began at a random point. The other kernel adopts what it can of
 * the leader's settings and then continues from its own best. Neither waits for the leader's hill
 * to be exhausted.
 */
const TURNS = ['leader', 'contender', 'leader', 'random'] as const;

/** Steps without improvement after which a random hill is abandoned for another. */
const PATIENCE = 12;

/** A kernel is given up after this many random points if none of them worked. */
const TRIES_WITHOUT_SUCCESS = 6;

/**
 * How much less promising a step is than a single step of one tunable: a longer step, or one of
 * two sizes that grow together (far), and a step of any other two tunables (apart).
 */
const HANDICAPS = { far: 1.02, apart: 1.05 };

/** Where a climb began: 0 for the defaults or the leader's settings, else the number of a random point. */
type Hill = number;
const DEFAULT_HILL: Hill = 0;
const NO_HILL: Hill = -1;

interface Slope {
  readonly kernel: string;
  readonly hill: Hill;
  /** Expected cost: that of the point it starts from. */
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

/** So many of the variants that evidence puts first are tried before anything else. */
const FIRST = 12;

/**
 * Searches for the variant of least cost: `next` proposes a point, `tell` reports its cost. First
 * come the variants that evidence expects to be fastest; then the defaults of each kernel that it does
 * not know, and a point that fills the device if the defaults do not; then
 * best-first hill climbing from the best so far, interleaved with steps of the kernels behind the
 * leader and climbs from random points. Proposals depend only on the seed and on what was told, so
 * a search that is told the same costs again resumes where it stopped. `next` may be called again
 * before `tell`. No point is proposed twice.
 */
export class Climb {
  readonly #seed: number;
  readonly #fields: ReadonlyMap<string, Field>;
  readonly #starts: Point[];
  /** The hill of each proposed point, by address. */
  readonly #proposed = new Map<string, Hill>();
  #slopes: Slope[] = [];
  #leader: { readonly cost: number; readonly point: Point | null } = {
    cost: Number.POSITIVE_INFINITY,
    point: null,
  };
  #wandered = { kernel: '', hill: NO_HILL, best: Number.POSITIVE_INFINITY, patience: 0 };
  #turn = 0;
  #explored = 0;
  #contended = 0;

  /** @param expected points of the spaces, the least expected cost first */
  constructor(spaces: readonly TuningSpace[], seed: number, expected: readonly Point[] = []) {
    this.#seed = seed;
    this.#fields = new Map(
      spaces.map((space, index) => {
        const random = space.shuffled(hash32(seed + index));
        const best = Number.POSITIVE_INFINITY;
        return [space.kernel.id, { space, random, best, tries: 0, isExhausted: false }];
      }),
    );
    const known = new Set(expected.map(({ kernel }) => kernel));
    const unknown = spaces.filter(({ kernel }) => !known.has(kernel.id));
    this.#starts = [
      ...expected.slice(0, FIRST),
      ...unknown.flatMap((space) => [space.initial() ?? [], space.filling() ?? []].flat()),
    ];
  }

  /** The next point to measure; null when every point worth it has been proposed. */
  next(): Point | null {
    const start = this.#starts.shift();
    if (start) return this.#propose(start, DEFAULT_HILL);
    const turn = TURNS[this.#turn++ % TURNS.length];
    return (
      (turn === 'random' && this.#wander()) ||
      (turn === 'contender' && this.#contend()) ||
      this.#climb() ||
      this.#restart()
    );
  }

  /** @param cost lower is better; null if the point failed or was incorrect */
  tell(point: Point, cost: number | null): void {
    const field = this.#fieldOf(point);
    field.tries++;
    const hill = this.#proposed.get(point.address) ?? DEFAULT_HILL;
    this.#rest(hill, cost);
    if (cost === null) return;
    field.best = Math.min(field.best, cost);
    if (cost < this.#leader.cost) this.#leader = { cost, point };
    const { space } = field;
    const kernel = space.kernel.id;
    const slope = (handicap: number, steps: () => Point[]) =>
      this.#slopes.push({ kernel, hill, cost: cost * handicap, steps, left: null });
    slope(1, () => space.neighbours(point));
    slope(HANDICAPS.far, () => [...space.jumps(point), ...space.diagonals(point).together]);
    slope(HANDICAPS.apart, () => space.diagonals(point).apart);
    this.#slopes.sort((a, b) => a.cost - b.cost);
  }

  #propose(point: Point, hill: Hill): Point {
    this.#proposed.set(point.address, hill);
    return point;
  }

  /** A step from the best point, of all or of the allowed slopes, that has one left. */
  #climb(isAllowed: (slope: Slope) => boolean = () => true): Point | null {
    for (const slope of this.#slopes) {
      if (!isAllowed(slope)) continue;
      slope.left ??= shuffle(slope.steps(), this.#seed);
      for (let point = slope.left.pop(); point; point = slope.left.pop()) {
        if (!this.#proposed.has(point.address)) return this.#propose(point, slope.hill);
      }
    }
    return null;
  }

  /** A step on the current random hill or, if that led nowhere, a new random point. */
  #wander(): Point | null {
    const { kernel, hill, patience } = this.#wandered;
    const field = this.#fields.get(kernel);
    const goesOn = patience > 0 && field !== undefined && this.#mayWin(field);
    const step = goesOn ? this.#climb((slope) => slope.hill === hill) : null;
    return step ?? this.#restart();
  }

  #restart(): Point | null {
    const point = this.#explore();
    if (!point) return null;
    const hill = Math.max(this.#wandered.hill, DEFAULT_HILL) + 1;
    const { kernel } = point;
    this.#wandered = { kernel, hill, best: Number.POSITIVE_INFINITY, patience: PATIENCE };
    return this.#propose(point, hill);
  }

  /** Counts the steps without improvement on the current random hill. */
  #rest(hill: Hill, cost: number | null): void {
    const { best, patience } = this.#wandered;
    if (hill !== this.#wandered.hill) return;
    const isBetter = cost !== null && cost < best;
    this.#wandered = isBetter
      ? { ...this.#wandered, best: cost, patience: PATIENCE }
      : { ...this.#wandered, patience: patience - 1 };
  }

  /** For the next kernel that may still win: the leader's settings, or a step. */
  #contend(): Point | null {
    const { cost, point: leader } = this.#leader;
    const contenders = [...this.#fields.values()].filter(
      (field) => field.best > cost && this.#mayWin(field),
    );
    const field = contenders[this.#contended++ % contenders.length];
    if (!field || !leader) return null;
    const alike = field.space.like(leader);
    if (alike && !this.#proposed.has(alike.address)) return this.#propose(alike, DEFAULT_HILL);
    return this.#climb(({ kernel }) => kernel === field.space.kernel.id);
  }

  /** A random point of the next kernel that may still win. */
  #explore(): Point | null {
    const open = [...this.#fields.values()].filter(
      (field) =>
        !field.isExhausted &&
        (this.#mayWin(field) ||
          (field.best === Number.POSITIVE_INFINITY && field.tries < TRIES_WITHOUT_SUCCESS)),
    );
    const field = open[this.#explored++ % open.length];
    if (!field) return null;
    for (let { value } = field.random.next(); value; value = field.random.next().value) {
      if (!this.#proposed.has(value.address)) return value;
    }
    field.isExhausted = true;
    return this.#explore();
  }

  #mayWin({ best }: Field): boolean {
    return best <= CONTENDS_WITHIN * this.#leader.cost;
  }

  #fieldOf(point: Point): Field {
    const field = this.#fields.get(point.kernel);
    if (!field) throw new RangeError(`${point.kernel} is not among the kernels searched`);
    return field;
  }
}

/** Fisher-Yates, seeded: its order is part of every recorded search, so it must not change. */
function shuffle<T>(items: readonly T[], seed: number): T[] {
  const out = [...items];
  for (let i = out.length - 1; i > 0; i--) {
    const j = hash32(seed + i) % (i + 1);
    [out[i], out[j]] = [out[j] as T, out[i] as T];
  }
  return out;
}
