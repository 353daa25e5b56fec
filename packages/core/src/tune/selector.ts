/**
 * The selector: which variant to run on a shape that nobody measured, and how long it will take.
 *
 * Variants that differ only in how they divide the work (`splitBy` of their kernel) are of one kind,
 * with a model of its time (time-model.ts) fitted to what was measured. No device is named: evidence
 * of another GPU gives other coefficients.
 */
import { type Problem, shapeText } from '@tilemark/kernels';
import { group, least, mean, rollup } from 'd3-array';
import { shapeDistance } from '../rank/nearest';
import { candidatesFor } from './candidates';
import type { Observation } from './evidence';
import { expectedNs, type Quote, slowEndNs } from './quote';
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

/** What it quotes for a variant. */
export interface Prediction extends Quote, Point {
  /** `measured`: on this very shape. */
  readonly basis: 'measured' | 'predicted';
}

/**
 * A variant that evidence has on no shape must promise to be this much faster than one that it has:
 * whoever is fastest of many predictions tends to be the most wrong. On an NVIDIA H200, splits that
 * nobody had tried took twice their predicted time (2026-11-23).
 */
const UNTRIED = 1.25;

/**
 * Nearer than so many octaves (see `Work.place`) to a shape that a variant was measured on, promises
 * were as often too high as too low on an NVIDIA H200; from four octaves on, times were 1.1 to 2
 * times what was promised (2026-11-25, the variants that ran beside cuBLAS).
 */
const NEAR = 2;

/** What a promise loses with each octave beyond. */
const PER_OCTAVE = 0.13;

interface Promised extends Prediction {
  /** To the nearest shape that its kind was measured on. */
  readonly distance: number;
}

/** What teaches the models beside times of the dtype itself. */
export interface Beside {
  /** Of products that take as long, in another dtype or on another device. */
  readonly times: readonly Observation[];
  /** Of the plain dtype (`plainOf`), whose products take about as long: it shapes kinds that were seldom timed. */
  readonly plain?: Selector;
}

/** Fewest variants of one shape that are a search. */
const A_SEARCH = 16;

export class Selector {
  readonly #kinds: ReadonlyMap<string, readonly Observation[]>;
  /** By kind: fitted when it is first asked for. */
  readonly #models = new Map<string, TimeModel>();
  readonly #plain: Selector | undefined;
  readonly #whole: Selector | undefined;
  readonly #exact = new Map<string, Quote>();
  readonly #tried: ReadonlySet<string>;
  readonly #problems: readonly Problem[];
  readonly #searched: readonly Problem[];

  /** @param whole of which it takes how many workgroups run at once, a property of the device */
  constructor(
    observations: readonly Observation[],
    { times, plain }: Beside = { times: [] },
    whole?: Selector,
  ) {
    this.#plain = plain;
    this.#whole = whole;
    const measured = new Set(observations.map(timeKeyOf));
    const all = [...observations, ...times.filter((time) => !measured.has(timeKeyOf(time)))];
    this.#kinds = new Map(
      [...group(all, ({ address }) => kindOf(address))].filter(
        ([, times]) => times.length >= ENOUGH,
      ),
    );
    for (const { problem, address, ns, error = SCREENED } of observations) {
      this.#exact.set(`${keyOf(problem)} ${address}`, { ns, error });
    }
    this.#tried = new Set(all.map(({ address }) => address));
    this.#problems = [
      ...new Map(observations.map(({ problem }) => [keyOf(problem), problem])).values(),
    ];
    this.#searched = [...group(observations, ({ problem }) => keyOf(problem)).values()].flatMap(
      (times) => {
        const kernels = new Set(times.map(({ address }) => address.split('[')[0]));
        return times.length >= A_SEARCH && kernels.size > 1 ? (times[0]?.problem ?? []) : [];
      },
    );
  }

  /** The problems it has evidence of. */
  get problems(): readonly Problem[] {
    return this.#problems;
  }

  /**
   * Candidates for a problem, the fastest first; empty without evidence for its op and dtype.
   *
   * @param more points to weigh beside the usual candidates
   */
  rank(
    problem: Problem,
    able: (point: Point) => boolean,
    more: readonly Point[] = [],
  ): Prediction[] {
    const points = [...candidatesFor(problem), ...more];
    const expected = new Map<string, Expected>();
    const promised = [...new Map(points.map((point) => [point.address, point])).values()]
      .filter(able)
      .flatMap((point) => this.#predict(point, problem, expected) ?? []);
    // Against a time of the very shape, promises are of another source.
    const isTimed = promised.some(({ basis }) => basis === 'measured');
    const nsOf = (promise: Promised) =>
      this.#cautious(promise) * (isTimed ? slowEndNs(promise) : expectedNs(promise));
    return promised
      .toSorted((a, b) => nsOf(a) - nsOf(b))
      .map(({ distance, ...prediction }) => prediction);
  }

  /** Whether it can say how long a variant takes. */
  knows(address: string): boolean {
    return this.#kinds.has(kindOf(address));
  }

  /** How far a problem is from the nearest shape that the kind of a variant was timed on. */
  distanceTo(address: string, problem: Problem): number {
    const times = this.#kinds.get(kindOf(address)) ?? [];
    const exact = this.#exact.has(`${keyOf(problem)} ${address}`);
    return exact ? 0 : Math.min(...times.map((time) => shapeDistance(problem, time.problem)));
  }

  /**
   * Whether variants of several kernels were tried on a shape at most so far from a problem, as a
   * search does: then a kernel that is not among them need not be preferred.
   */
  hasSearched(problem: Problem, within: number): boolean {
    return this.#searched.some((searched) => shapeDistance(problem, searched) <= within);
  }

  /** How much longer to expect what is promised from far away, and what was never tried. */
  #cautious({ address, distance }: Promised): number {
    const far = Math.exp(PER_OCTAVE * Math.max(0, distance - NEAR));
    return this.#tried.has(address) ? far : UNTRIED * far;
  }

  /** @param known what is expected of rows that are not aligned, by kernel */
  #predict(point: Point, problem: Problem, known: Map<string, Expected>): Promised | null {
    const exact = this.#exact.get(`${keyOf(problem)} ${point.address}`);
    if (exact !== undefined) {
      return { ...point, ...exact, basis: 'measured', distance: 0 };
    }
    const model = this.#modelOf(kindOf(point.address));
    if (!model) return null;
    const work = workOf(point, problem);
    const isOfKernel = model.hasAligned && !work.isAligned;
    const expected = isOfKernel
      ? (known.get(point.kernel) ?? expectedOf(this.#modelsOf(point.kernel), work))
      : null;
    if (expected) known.set(point.kernel, expected);
    const { residual, error } = near(model, work, expected);
    const ns = timeOf(model, work) * Math.exp(residual);
    const distance = distanceTo(model, work);
    return ns > 0 ? { ...point, ns, error, basis: 'predicted', distance } : null;
  }

  #modelOf(kind: string): TimeModel | null {
    const times = this.#kinds.get(kind);
    if (!times) return null;
    const plain = this.#plain ? this.#plain.#modelOf(kind) : null;
    const whole = this.#whole ? this.#whole.#modelOf(kind) : null;
    const model = this.#models.get(kind) ?? fitted(times, { plain, resident: whole?.resident });
    this.#models.set(kind, model);
    return model;
  }

  #modelsOf(kernel: string): TimeModel[] {
    const own = [...this.#kinds.keys()].filter((kind) => kind.split('[')[0] === kernel);
    return own.flatMap((kind) => this.#modelOf(kind) ?? []);
  }
}

/** A time's place, whatever the dtype. */
const timeKeyOf = ({ problem, address }: Observation) => `${shapeText(problem)} ${address}`;

const keyOf = (problem: Problem) => `${problem.op} ${shapeText(problem)} ${problem.dtype}`;

/** How a choice without a shape's own evidence compares with the best measured there. */
export interface Regret {
  readonly problem: Problem;
  readonly chosen: string;
  /** Null where the choice is another device's, whose times say nothing here. */
  readonly predictedNs: number | null;
  readonly chosenNs: number;
  readonly best: string;
  readonly bestNs: number;
}

/**
 * Leaves each shape out in turn and lets the others choose among the variants measured on it. How
 * many workgroups run at once is fitted to all shapes: one number per kind of 18 times or more.
 * Evidence keeps only variants that came near to the best somewhere.
 *
 * @param beside as for the selector; the shape is left out there, too
 * @yields shape by shape, as each takes a tenth of a second; null: nothing can be chosen for it
 */
export function* leaveOneShapeOut(
  observations: readonly Observation[],
  beside: Beside = { times: [] },
): Generator<Regret | null> {
  const all = new Selector(observations, beside);
  for (const [shape, times] of group(observations, ({ problem }) => shapeText(problem))) {
    const isOther = ({ problem }: Observation) => shapeText(problem) !== shape;
    const others = new Selector(
      observations.filter(isOther),
      { ...beside, times: beside.times.filter(isOther) },
      all,
    );
    yield regretOf(times, (problem, able) => {
      const [choice] = others.rank(problem, able);
      return choice && { address: choice.address, ns: choice.ns };
    });
  }
}

/**
 * How well the evidence of other devices chooses for one that has none: shape by shape, the variant
 * that is nearest to their best in the geometric mean, among those measured on the device.
 *
 * @yields shape by shape; null: nothing can be chosen for it
 */
export function* leaveDeviceOut(
  observations: readonly Observation[],
  others: readonly (readonly Observation[])[],
): Generator<Regret | null> {
  const selectors = others.map((times) => new Selector(times));
  for (const times of group(observations, ({ problem }) => keyOf(problem)).values()) {
    yield regretOf(times, (problem, able) => {
      const best = nearestToBest(selectors.map((selector) => selector.rank(problem, able)));
      return best === undefined ? undefined : { address: best, ns: null };
    });
  }
}

/** Of what several devices rank, the address that is nearest to their best in the geometric mean. */
export function nearestToBest(ranks: readonly (readonly Prediction[])[]): string | undefined {
  const behind = rollup(
    ranks.flatMap((rank) =>
      rank.map(({ address, ns }) => ({ address, by: ns / (rank[0]?.ns ?? ns) })),
    ),
    // One that a device says nothing of might be far behind there.
    (all) =>
      all.length < ranks.length ? Number.POSITIVE_INFINITY : mean(all, ({ by }) => Math.log(by)),
    ({ address }) => address,
  );
  return least([...behind], ([, by = 0]) => by)?.[0];
}

/** What a choice costs on one shape, by what was measured there; null where there is none to make. */
function regretOf(
  observations: readonly Observation[],
  choose: (
    problem: Problem,
    able: (point: Point) => boolean,
  ) => { readonly address: string; readonly ns: number | null } | undefined,
): Regret | null {
  const [first, another] = observations;
  const best = least(observations, ({ ns }) => ns);
  const times = new Map(observations.map(({ address, ns }) => [address, ns]));
  const choice = first && choose(first.problem, ({ address }) => times.has(address));
  const chosenNs = choice && times.get(choice.address);
  if (!first || !another || !best || !choice || chosenNs === undefined) return null;
  const { address: chosen, ns: predictedNs } = choice;
  const { problem } = first;
  return { problem, chosen, predictedNs, chosenNs, best: best.address, bestNs: best.ns };
}
