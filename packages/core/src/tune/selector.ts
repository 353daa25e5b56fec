/**
 * The selector: which variant to run on a shape that nobody measured, and how long it will take.
 *
 * Variants that differ only in how they divide the work (`splitBy` of their kernel) are of one kind,
 * with a model of its time (time-model.ts) fitted to what was measured. No device is named: evidence
 * of another GPU gives other coefficients.
 */
import {
  ifValid,
  kernelById,
  kernelOf,
  opOf,
  type Problem,
  parseVariant,
  shapeText,
} from '@tilemark/kernels';
import { group, least, mean, rollup } from 'd3-array';
import { shapeDistance } from '../rank/nearest';
import { candidatesFor } from './candidates';
import { type Observation, placeOf } from './evidence';
import { expectedNs, type Quote } from './quote';
import type { Point } from './space';
import {
  distanceTo,
  ENOUGH,
  type Expected,
  expectedOf,
  fitted,
  kindOf,
  near,
  SCREENED,
  type TimeModel,
  timeOf,
  workOf,
} from './time-model';

/** A quote of the selector, with the time that it is of, if one was taken on this very shape. */
export interface Prediction extends Quote {
  readonly time?: Observation;
}

/**
 * Variance of a promise of a variant that evidence has on no shape, or not on this one, where it has
 * others: whoever is fastest of many predictions tends to be the most wrong (J. E. Smith and
 * R. L. Winkler, The Optimizer's Curse, Management Science 52, 2006). On an NVIDIA H200, splits that
 * nobody had tried took twice their predicted time (2026-11-23). It must promise to be 1.25 times as
 * fast as one that was tried.
 */
const UNTRIED = 2 * Math.log(1.25);

/**
 * Nearer than so many octaves (see `Work.place`) to a shape that a variant was measured on, promises
 * were as often too high as too low on an NVIDIA H200; from four octaves on, times were 1.1 to 2
 * times what was promised (2026-11-25, the variants that ran beside cuBLAS).
 */
const NEAR = 2;

/** Variance that each octave beyond adds: a promise is expected to take 1.14 times as long. */
const PER_OCTAVE = 2 * 0.13;

/** Evidence that teaches the models beside times of the dtype itself. */
export interface Beside {
  /** Of products that take as long, in another dtype or on another device. */
  readonly times: readonly Observation[];
  /** Of the plain dtype (`plainOf`), whose products take about as long: it shapes kinds that were seldom timed. */
  readonly plain?: Selector;
}

export class Selector {
  readonly #kinds: ReadonlyMap<string, readonly Observation[]>;
  /** By kind: fitted when it is first asked for. */
  readonly #models = new Map<string, TimeModel>();
  readonly #plain: Selector | undefined;
  readonly #whole: Selector | undefined;
  readonly #exact: ReadonlyMap<string, Observation>;
  /** By problem. */
  readonly #timed: ReadonlyMap<string, readonly Observation[]>;
  readonly #tried: ReadonlySet<string>;
  readonly #problems: readonly Problem[];

  /** @param whole of which it takes how many workgroups run at once, a property of the device */
  constructor(
    observations: readonly Observation[],
    { times, plain }: Beside = { times: [] },
    whole?: Selector,
  ) {
    this.#plain = plain;
    this.#whole = whole;
    const measured = new Set(observations.map(placeOf));
    const all = [...observations, ...times.filter((time) => !measured.has(placeOf(time)))];
    const addresses = group(all, ({ address }) => address);
    this.#kinds = rollup(
      addresses,
      (some) => some.flatMap(([, times]) => times),
      ([address]) => kindOf(address),
    );
    this.#exact = new Map(
      observations.map((time) => [`${keyOf(time.problem)} ${time.address}`, time]),
    );
    this.#tried = new Set(addresses.keys());
    this.#timed = group(observations, ({ problem }) => keyOf(problem));
    this.#problems = [...this.#timed.values()].flatMap(([first]) => first?.problem ?? []);
  }

  /** The problems it has evidence of. */
  get problems(): readonly Problem[] {
    return this.#problems;
  }

  /**
   * Quotes of candidates for a problem and of what was timed on it, the least expected time first;
   * empty without evidence for its op and dtype.
   *
   * @param more points to weigh beside them
   */
  rank(
    problem: Problem,
    able: (point: Point) => boolean,
    more: readonly Point[] = [],
  ): Prediction[] {
    const timed = this.#timed.get(keyOf(problem)) ?? [];
    const points = [
      ...candidatesFor(problem),
      ...more,
      ...timed.flatMap(({ address }) => ifValid(() => parseVariant(address)) ?? []),
    ];
    const expected = new Map<string, Expected>();
    return [...new Map(points.map((point) => [point.address, point])).values()]
      .filter(able)
      .flatMap((point) => this.#quote(point, problem, expected) ?? [])
      .toSorted((a, b) => expectedNs(a) - expectedNs(b));
  }

  /** Whether it has a model of a variant's time. */
  knows(address: string): boolean {
    return this.#hasModel(kindOf(address));
  }

  /** @param known what is expected of rows that are not aligned, by kernel */
  #quote(point: Point, problem: Problem, known: Map<string, Expected>): Prediction | null {
    const time = this.#exact.get(`${keyOf(problem)} ${point.address}`);
    if (time) {
      const { error = SCREENED, ns, source = 'searched' } = time;
      return { ...point, ns, error, source, time };
    }
    const kind = kindOf(point.address);
    const model = this.#modelOf(kind);
    if (!model) return scaled(point, problem, this.#kinds.get(kind) ?? []);
    const work = workOf(point, problem);
    const isOfKernel = model.hasAligned && !work.isAligned;
    const expected = isOfKernel
      ? (known.get(point.kernel) ?? expectedOf(this.#modelsOf(point.kernel), work))
      : null;
    if (expected) known.set(point.kernel, expected);
    const { residual, error } = near(model, work, expected);
    const ns = timeOf(model, work) * Math.exp(residual);
    const far = PER_OCTAVE * Math.max(0, distanceTo(model, work) - NEAR);
    const isTried = this.#tried.has(point.address) && !this.#timed.has(keyOf(problem));
    return ns > 0
      ? {
          ...point,
          ns,
          error: Math.sqrt(error ** 2 + far + (isTried ? 0 : UNTRIED)),
          source: 'predicted',
        }
      : null;
  }

  #hasModel(kind: string): boolean {
    return (this.#kinds.get(kind)?.length ?? 0) >= ENOUGH && isOfGpu(kind);
  }

  #modelOf(kind: string): TimeModel | null {
    const times = this.#kinds.get(kind);
    if (!times || !this.#hasModel(kind)) return null;
    const plain = this.#plain ? this.#plain.#modelOf(kind) : null;
    const whole = this.#whole ? this.#whole.#modelOf(kind) : null;
    const model = this.#models.get(kind) ?? fitted(times, { plain, resident: whole?.resident });
    this.#models.set(kind, model);
    return model;
  }

  #modelsOf(kernel: string): TimeModel[] {
    const kinds = [...this.#kinds.keys()].filter((kind) => kernelOf(kind) === kernel);
    return kinds.flatMap((kind) => this.#modelOf(kind) ?? []);
  }
}

/**
 * The time on the nearest shape, by the op's work, which knows nothing of waves and caches: it may be
 * off by as much again, and by the distance of the shapes.
 */
function scaled(point: Point, problem: Problem, times: readonly Observation[]): Prediction | null {
  const nearest = least(times, (time) => shapeDistance(problem, time.problem));
  if (!nearest) return null;
  const workIn = (one: Problem) => opOf(one).rate(one, 1);
  const ns = (nearest.ns * workIn(problem)) / workIn(nearest.problem);
  return { ...point, ns, error: 1 + shapeDistance(problem, nearest.problem), source: 'predicted' };
}

const isOfGpu = (kind: string): boolean =>
  ifValid(() => kernelById(kernelOf(kind)))?.runsOn === 'gpu';

const keyOf = (problem: Problem) => `${problem.op} ${shapeText(problem)} ${problem.dtype}`;

/** The address that is nearest to the best of several devices in the geometric mean. */
export function nearestToBest(ranks: readonly (readonly Prediction[])[]): string | undefined {
  const behind = rollup(
    ranks.flatMap((rank) =>
      rank.map((quote) => ({
        address: quote.address,
        by: expectedNs(quote) / expectedNs(rank[0] ?? quote),
      })),
    ),
    // One that a device says nothing of might be far behind there.
    (all) =>
      all.length < ranks.length ? Number.POSITIVE_INFINITY : mean(all, ({ by }) => Math.log(by)),
    ({ address }) => address,
  );
  return least([...behind], ([, by = 0]) => by)?.[0];
}
