/**
 * Tuning a family of shapes: the candidates of every shape are screened, in an order that covers the
 * family evenly wherever the time ends; then the two fastest of a shape duel where screening could
 * not tell them apart. What this finds is evidence, from which the selector answers for shapes that
 * were never measured.
 *
 * Shapes learn from each other. Where the time left does not suffice to try everything, the selector
 * is fitted to what was found so far, and of each further shape only the candidates are screened that
 * it expects near the fastest, and those that it cannot judge.
 */

import {
  bareVariant,
  type Dtype,
  hash32,
  ifValid,
  type Problem,
  parseVariant,
  shapeText,
  type Variant,
} from '@tilemark/kernels';
import type { Family } from '../plan/families';
import { candidatesFor } from './candidates';
import { type Final, type Observation, undecided } from './evidence';
import {
  requestDuel,
  requestMeasurement,
  type Search,
  type TrialOutcome,
  type WantedSpec,
  wantedRun,
} from './protocol';
import { Selector } from './selector';
import type { Point } from './space';

/** A shape of a family with its candidates that fit a device. */
export interface FamilyShape {
  readonly problem: Problem;
  readonly points: readonly Point[];
}

/** A shape of a family that no candidate fits, and why. */
interface SkippedShape {
  readonly problem: Problem;
  readonly why: string;
}

/**
 * The candidates of a problem that fit a device, and why the first that does not fit does not.
 *
 * @param whyNot why a variant cannot run there; null: it can
 */
export function fittingPoints(
  problem: Problem,
  whyNot: (variant: Variant, problem: Problem) => string | null,
): { readonly points: readonly Point[]; readonly why: string } {
  const candidates = candidatesFor(problem).map(
    (point) => [point, whyNot(point, problem)] as const,
  );
  const reasons = candidates.flatMap(([, why]) => why ?? []);
  return {
    points: candidates.flatMap(([point, why]) => (why === null ? [point] : [])),
    why: reasons[0] ?? 'No candidate supports this shape and dtype.',
  };
}

/**
 * The shapes of a family in the order of a search, and those that do not fit.
 *
 * @param whyNot why a variant cannot run a problem on the device; null: it can
 */
export function familyShapes(
  { op, shapes }: Pick<Family, 'op' | 'shapes'>,
  dtype: Dtype,
  whyNot: (variant: Variant, problem: Problem) => string | null,
): { readonly shapes: FamilyShape[]; readonly skipped: SkippedShape[] } {
  const fitting: FamilyShape[] = [];
  const skipped: SkippedShape[] = [];
  const inOrder = shapes
    .map((shape, at) => ({ problem: { op, shape, dtype } as Problem, at }))
    .toSorted((a, b) => hash32(a.at) - hash32(b.at));
  for (const { problem } of inOrder) {
    const { points, why } = fittingPoints(problem, whyNot);
    if (points.length > 0) fitting.push({ problem, points });
    else skipped.push({ problem, why });
  }
  return { shapes: fitting, skipped };
}

export interface FamilyOptions<O extends TrialOutcome = TrialOutcome> {
  readonly shapes: readonly FamilyShape[];
  /** The findings of an earlier search: its shapes are not searched again. */
  readonly earlier?: Findings | undefined;
  /** What a device like it has taught: no variant is tried for want of evidence that this one has. */
  readonly prior?: Selector | undefined;
  readonly budgetNs: number;
  /** A monotonic clock, ns. */
  readonly nowNs: () => number;
  /** The candidates that were chosen for a shape when it was begun; null: it was not. */
  readonly chosen?: (problem: Problem) => readonly Point[] | null;
  /** Called after each shape, with what is known by then. */
  readonly onShape?: (
    problem: Problem,
    outcomes: readonly (readonly [Point, O])[],
    findings: Findings,
  ) => void;
  /** Called after each duel. */
  readonly onDuel?: (final: Final, problem: Problem, findings: Findings) => void;
}

/** Screened times, and the duels by the text of the shape. */
export interface Findings {
  readonly times: readonly Observation[];
  readonly finals: ReadonlyMap<string, Final>;
}

interface TunedFamily extends Findings {
  /** Shapes that were screened, without those known before and one that the time cut short. */
  readonly searched: number;
  /** Candidates that were screened. */
  readonly screened: number;
  /** Duels that proved something, without those known before. */
  readonly duels: number;
  /** Why screening ended: its share of the time was used, or every shape was searched. */
  readonly stop: 'budget' | 'exhausted';
}

/** Part of the budget for screening; the rest is for the finals. */
const FAMILY_SCREENING_PART = 0.85;

/** Screens a family, then lets the nearest duel. */
export function* searchFamily<O extends TrialOutcome>(
  options: FamilyOptions<O>,
): Search<O, TunedFamily> {
  const { budgetNs, chosen, earlier, nowNs, onDuel, onShape, prior } = options;
  const times = [...(earlier?.times ?? [])];
  const finals = new Map(earlier?.finals);
  const done = new Set(times.map(({ problem }) => shapeText(problem)));
  const shapes = options.shapes.filter(({ problem }) => !done.has(shapeText(problem)));
  const beganNs = nowNs();
  const spentNs = () => nowNs() - beganNs;
  const limitNs = FAMILY_SCREENING_PART * budgetNs;
  const chooser = new Chooser(times, done.size, prior);
  let screened = 0;
  let searched = 0;
  let duels = 0;

  /** What is screened of the shape at a place. */
  const choose = (at: number): readonly Point[] => {
    const shape = shapes[at];
    if (!shape) return [];
    const leftNs = limitNs - spentNs();
    const left = shapes.slice(at).reduce((sum, { points }) => sum + points.length, 0);
    const isEnough = screened > 0 && (left * spentNs()) / screened <= leftNs;
    return chosen?.(shape.problem) ?? (isEnough ? shape.points : chooser.choose(shape));
  };

  /** The rest of a shape, and shapes after it. */
  const after = (place: number, rest: readonly WantedSpec[]): readonly WantedSpec[] => {
    const all = [...rest];
    for (const [at, { problem }] of shapes.entries()) {
      if (at <= place || all.length >= LOOK_AHEAD) continue;
      all.push(...choose(at).map((point) => wantedRun(problem, point, 'screen')));
    }
    return all;
  };

  let isOver = false;
  for (const [at, { problem }] of shapes.entries()) {
    isOver = spentNs() > limitNs;
    if (isOver) break;
    const points = choose(at);
    const runs = points.map((point) => wantedRun(problem, point, 'screen'));
    const outcomes: (readonly [Point, O])[] = [];
    for (const [place, point] of points.entries()) {
      isOver = spentNs() > limitNs;
      if (isOver) break;
      const run = wantedRun(problem, point, 'screen');
      const following = () => after(at, runs.slice(place + 1));
      outcomes.push([point, yield* requestMeasurement<O>(run, following)]);
      screened++;
    }
    const found = outcomes.flatMap(([{ address }, outcome]): Observation[] =>
      outcome.kind === 'measured'
        ? [{ problem, address, ns: outcome.measurement.cold.medianNs }]
        : [],
    );
    // A shape that the time cut short is searched whole the next time.
    if (isOver) break;
    times.push(...found);
    searched++;
    onShape?.(problem, outcomes, { times, finals });
  }

  const open = undecided(times, finals);
  for (const [at, pair] of open.entries()) {
    if (spentNs() > budgetNs) break;
    const [a, b] = pair;
    const run = duelOf(pair);
    const following = () =>
      open.slice(at + 1, at + LOOK_AHEAD).flatMap((pair) => duelOf(pair) ?? []);
    const contrast = run && (yield* requestDuel<O>(run, following));
    if (!contrast) continue;
    const { ratio, low, high } = contrast;
    const final: Final = { a: a.address, b: b.address, ratio, low, high };
    finals.set(shapeText(a.problem), final);
    duels++;
    onDuel?.(final, a.problem, { times, finals });
  }
  return { times, finals, searched, screened, duels, stop: isOver ? 'budget' : 'exhausted' };
}

/** The variant of an address; null: this release has it no longer. */
export const pointOf = (address: string): Point | null => {
  const variant = ifValid(() => parseVariant(address));
  return variant && { ...bareVariant(variant), address: variant.address };
};

/** The run in which the two fastest of a shape take turns; null: this release has one no longer. */
function duelOf([a, b]: readonly [Observation, Observation]): WantedSpec | null {
  const [one, other] = [pointOf(a.address), pointOf(b.address)];
  return one && other && wantedRun(a.problem, one, 'screen', other);
}

/** So many candidates or duels are named as following, where there are any. */
const LOOK_AHEAD = 8;

/**
 * The first shapes are screened whole. Replayed on the evidence that ships for the NVIDIA H200, these
 * three numbers cover 732 f32 shapes in a third of the trials, and find times 0.7% slower in the mean
 * than all trials would (docs/results/tuning-h200.md).
 */
const LEARN_FROM = 16;

/** Candidates that are expected within this of the fastest are screened. */
const PROMISING = 1.2;

/** So many are screened at least. */
const LEAST_PROMISING = 4;

/** The selector is fitted again when there is this much more to learn from. */
const REFIT = 1.25;

/** Chooses what to screen of a shape, by what was found on others. */
class Chooser {
  readonly #times: readonly Observation[];
  /** Shapes among `times` that were there before. */
  readonly #before: number;
  readonly #prior: Selector | undefined;
  #fitted: { readonly selector: Selector; readonly from: number } | null = null;

  /** @param times grows meanwhile */
  constructor(times: readonly Observation[], before: number, prior: Selector | undefined) {
    this.#times = times;
    this.#before = before;
    this.#prior = prior;
  }

  choose({ problem, points }: FamilyShape): readonly Point[] {
    const shapes = this.#before + new Set(this.#times.map((time) => time.problem)).size;
    const selectors = [
      ...(shapes < LEARN_FROM ? [] : [this.#fit()]),
      ...(this.#prior ? [this.#prior] : []),
    ];
    const addresses = new Set(points.map(({ address }) => address));
    const promising = new Set(
      selectors.flatMap((selector) => {
        const order = selector.rank(problem, ({ address }) => addresses.has(address));
        const least = order[0]?.ns ?? 0;
        return order
          .filter(({ ns }, at) => at < LEAST_PROMISING || ns <= PROMISING * least)
          .map(({ address }) => address);
      }),
    );
    return points.filter(
      ({ address }) =>
        promising.has(address) || !selectors.some((selector) => selector.knows(address)),
    );
  }

  #fit(): Selector {
    const count = this.#times.length;
    if (!this.#fitted || count >= REFIT * this.#fitted.from) {
      this.#fitted = { selector: new Selector(this.#times), from: count };
    }
    return this.#fitted.selector;
  }
}
