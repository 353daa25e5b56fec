/**
 * The selector: which variant to run on a shape that nobody measured, and how long it will take.
 *
 * Variants that differ only in SPLIT, WAVE or COLS form a family. The time of a family on a shape is a sum
 * of parts that can be explained, each with a coefficient that is not negative, fitted to what was
 * measured: a start, the steps of one workgroup one after another, all steps of all workgroups, a cost
 * per workgroup, bytes, parts of K that a second pass adds, and what unaligned rows add. What the
 * sum gets wrong near a shape (tails of waves, caches) is corrected by its mistakes on the shapes
 * nearby. No device is named: evidence of another GPU gives other coefficients.
 */
import {
  bufferBytes,
  type GpuKernel,
  kernelById,
  opOf,
  type Problem,
  parseVariant,
  shapeText,
} from '@tilemark/kernels';
import { group, least, mean, rollup } from 'd3-array';
import { shapeDistance } from '../rank/nearest';
import { candidatesFor } from './candidates';
import type { Observation } from './evidence';
import type { Point } from './space';

export interface Prediction {
  readonly address: string;
  readonly kernel: string;
  readonly tunables: Point['tunables'];
  readonly ns: number;
  /** Standard deviation of the prediction, relative; of a screened time, its repeatability. */
  readonly error: number;
  /** `measured`: on this very shape. */
  readonly basis: 'measured' | 'predicted';
}

/** Spread of screened times of one variant and shape, relative (docs/results/tuning-h200.md). */
const SCREENED = 0.011;

/** Shapes this far apart (see `shapeDistance`) still say something about each other's residuals. */
const REACH = 0.7;

/** Weight of no correction beside those of the shapes nearby. */
const PRIOR = 0.3;

/** Fewest observations of a family from which its coefficients are fitted. */
const ENOUGH = 2;

/** Spread of a family that has no more observations than coefficients: they fit, and prove nothing. */
const UNKNOWN = 0.5;

/**
 * A variant that evidence has on no shape must promise to be this much faster than one that it has:
 * whoever is fastest of many predictions tends to be the most wrong. On an NVIDIA H200, splits that
 * nobody had tried took twice their predicted time (2026-11-23).
 */
const UNTRIED = 1.25;

/** Fewest variants of one shape that are a search. */
const A_SEARCH = 16;

const SWEEPS = 60;

interface Placed {
  readonly problem: Problem;
  readonly address: string;
  readonly features: readonly number[];
}

interface Fitted {
  readonly coefficients: readonly number[];
  readonly seen: readonly (Placed & { readonly residual: number })[];
  /** Standard deviation of the residuals: logarithms of measured over fitted. */
  readonly spread: number;
}

export class Selector {
  readonly #families: ReadonlyMap<string, Fitted>;
  readonly #exact = new Map<string, number>();
  readonly #tried: ReadonlySet<string>;
  readonly #problems: readonly Problem[];
  readonly #searched: readonly Problem[];

  constructor(observations: readonly Observation[]) {
    const families = group(observations, ({ address }) => familyOf(address));
    this.#families = new Map(
      [...families].flatMap(([family, own]) =>
        own.length < ENOUGH ? [] : [[family, fitted(own)] as const],
      ),
    );
    for (const { problem, address, ns } of observations) {
      this.#exact.set(`${keyOf(problem)} ${address}`, ns);
    }
    this.#tried = new Set(observations.map(({ address }) => address));
    this.#problems = [
      ...new Map(observations.map(({ problem }) => [keyOf(problem), problem])).values(),
    ];
    this.#searched = [...group(observations, ({ problem }) => keyOf(problem)).values()].flatMap(
      (own) => {
        const kernels = new Set(own.map(({ address }) => address.split('[')[0]));
        return own.length >= A_SEARCH && kernels.size > 1 ? (own[0]?.problem ?? []) : [];
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
    return [...new Map(points.map((point) => [point.address, point])).values()]
      .filter(able)
      .flatMap((point) => this.#predict(point, problem) ?? [])
      .toSorted((a, b) => this.#cautious(a) - this.#cautious(b));
  }

  /** Whether it can say how long a variant takes. */
  knows(address: string): boolean {
    return this.#families.has(familyOf(address));
  }

  /**
   * Whether variants of several kernels were tried on a shape at most so far from a problem, as a
   * search does: then a kernel that is not among them need not be preferred.
   */
  hasSearched(problem: Problem, within: number): boolean {
    return this.#searched.some((each) => shapeDistance(problem, each) <= within);
  }

  #cautious({ address, ns }: Prediction): number {
    return this.#tried.has(address) ? ns : UNTRIED * ns;
  }

  #predict(point: Point, problem: Problem): Prediction | null {
    const exact = this.#exact.get(`${keyOf(problem)} ${point.address}`);
    if (exact !== undefined) return { ...point, ns: exact, error: SCREENED, basis: 'measured' };
    const family = this.#families.get(familyOf(point.address));
    if (!family) return null;
    const features = featuresOf(point, problem);
    const own = { problem, address: point.address, features };
    const { correction, error } = near(family, own);
    const ns = dot(family.coefficients, features) * Math.exp(correction);
    return ns > 0 ? { ...point, ns, error, basis: 'predicted' } : null;
  }
}

const keyOf = (problem: Problem) => `${problem.op} ${shapeText(problem)} ${problem.dtype}`;

/** An address without the tunables that the model's parts stand for. */
function familyOf(address: string): string {
  return address.replace(/\b(SPLIT|WAVE|COLS)=\d+,?/g, '');
}

/** What a variant does on a problem, in the units of the model's parts. */
function featuresOf({ kernel, tunables }: Pick<Point, 'kernel' | 'tunables'>, problem: Problem) {
  const definition = kernelById(kernel) as GpuKernel;
  const [x, y, z] = definition.workgroups(tunables, problem);
  const groups = x * y * z;
  const { inputs, output } = bufferBytes(problem);
  const bytes = inputs.reduce((sum, size) => sum + size, output);
  const op = opOf(problem);
  const sides = op.sides(problem.shape);
  const split = Number(tunables.SPLIT ?? 1);
  const steps = op.terms(problem.shape) / split;
  const scratch = definition.scratchBytes?.(tunables, problem) ?? 0;
  const isAligned = (definition.entryPoint?.(tunables, problem) ?? 'main') === 'main';
  const unaligned = isAligned ? 0 : op.counts === 'flops' ? groups * steps : bytes;
  // A kernel that does not mind where rows begin still pays for pitches that are odd.
  const odd = isAligned && sides.some((size) => size % 2 === 1) ? bytes : 0;
  return [1, steps, groups * steps, groups, bytes, scratch, scratch > 0 ? 1 : 0, unaligned, odd];
}

function dot(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0);
}

const places = new WeakMap<Observation, readonly number[]>();

/** The features of an observation, computed once. */
function placeOf(observation: Observation): readonly number[] {
  const known = places.get(observation);
  if (known) return known;
  const made = featuresOf(parseVariant(observation.address), observation.problem);
  places.set(observation, made);
  return made;
}

/**
 * Coefficients of least squared relative error, none negative: cyclic coordinate descent on the
 * normal equations (V. Franc et al., Sequential coordinate-wise algorithm for the non-negative least
 * squares problem, 2005).
 */
function fitted(observations: readonly Observation[]): Fitted {
  const placed = observations.map((each) => ({ ...each, features: placeOf(each) }));
  const rows = placed.map(({ features, ns }) => features.map((value) => value / ns));
  const count = rows[0]?.length ?? 0;
  const products = Array.from({ length: count }, (_, i) =>
    Array.from({ length: count }, (_, j) =>
      rows.reduce((sum, row) => sum + (row[i] ?? 0) * (row[j] ?? 0), 0),
    ),
  );
  const wanted = products.map((_, i) => rows.reduce((sum, row) => sum + (row[i] ?? 0), 0));
  const coefficients = Array<number>(count).fill(0);
  for (let sweep = 0; sweep < SWEEPS * count; sweep++) {
    const i = sweep % count;
    const line = products[i] ?? [];
    const own = line[i] ?? 0;
    if (own === 0) continue;
    const rest = dot(line, coefficients) - own * (coefficients[i] ?? 0);
    coefficients[i] = Math.max(0, ((wanted[i] ?? 0) - rest) / own);
  }
  const seen = placed.map(({ ns, ...place }) => ({
    ...place,
    residual: Math.log(ns / dot(coefficients, place.features)),
  }));
  const squares = seen.reduce((sum, { residual }) => sum + residual * residual, 0);
  const freedom = seen.length - coefficients.filter((each) => each > 0).length;
  return { coefficients, seen, spread: freedom > 0 ? Math.sqrt(squares / freedom) : UNKNOWN };
}

/** The mean residual near a shape and what is left of the spread. */
function near({ seen, spread }: Fitted, { problem, address }: Placed) {
  let weight = PRIOR;
  let sum = 0;
  let squares = PRIOR * spread * spread;
  for (const each of seen) {
    const distance = shapeDistance(problem, each.problem) / REACH;
    // Another split of the same tile says a little less.
    const own = Math.exp((-distance * distance) / 2) * (each.address === address ? 1 : 0.5);
    weight += own;
    sum += own * each.residual;
    squares += own * each.residual * each.residual;
  }
  const correction = sum / weight;
  const variance = Math.max(squares / weight - correction * correction, 0);
  return { correction, error: Math.max(Math.sqrt(variance), SCREENED) };
}

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
 * Leaves each shape out in turn and lets the others choose among the variants measured on it.
 * Evidence keeps only variants that came near to the best somewhere.
 */
export function leaveOneShapeOut(observations: readonly Observation[]): Regret[] {
  return [...group(observations, ({ problem }) => keyOf(problem))].flatMap(([key, own]) => {
    const others = new Selector(observations.filter(({ problem }) => keyOf(problem) !== key));
    return regretOf(own, (problem, able) => {
      const [choice] = others.rank(problem, able);
      return choice && { address: choice.address, ns: choice.ns };
    });
  });
}

/**
 * How well the evidence of other devices chooses for one that has none: shape by shape, the variant
 * that is nearest to their best in the geometric mean, among those measured on the device.
 */
export function leaveDeviceOut(
  observations: readonly Observation[],
  others: readonly (readonly Observation[])[],
): Regret[] {
  const selectors = others.map((each) => new Selector(each));
  return [...group(observations, ({ problem }) => keyOf(problem)).values()].flatMap((own) =>
    regretOf(own, (problem, able) => {
      const ranks = selectors.map((selector) => selector.rank(problem, able));
      const behind = rollup(
        ranks.flatMap((rank) =>
          rank.map(({ address, ns }) => ({ address, by: ns / (rank[0]?.ns ?? ns) })),
        ),
        // One that a device says nothing of might be far behind there.
        (all) =>
          all.length < ranks.length
            ? Number.POSITIVE_INFINITY
            : mean(all, ({ by }) => Math.log(by)),
        ({ address }) => address,
      );
      const [best] = [...behind].toSorted(([, a = 0], [, b = 0]) => a - b);
      return best && { address: best[0], ns: null };
    }),
  );
}

/** What a choice costs on one shape, by what was measured there. */
function regretOf(
  own: readonly Observation[],
  choose: (
    problem: Problem,
    able: (point: Point) => boolean,
  ) => { readonly address: string; readonly ns: number | null } | undefined,
): Regret[] {
  const [first] = own;
  const best = least(own, ({ ns }) => ns);
  const times = new Map(own.map(({ address, ns }) => [address, ns]));
  const choice = first && choose(first.problem, ({ address }) => times.has(address));
  const chosenNs = choice && times.get(choice.address);
  if (!first || !best || !choice || chosenNs === undefined) return [];
  const { address: chosen, ns: predictedNs } = choice;
  const { problem } = first;
  return [{ problem, chosen, predictedNs, chosenNs, best: best.address, bestNs: best.ns }];
}
