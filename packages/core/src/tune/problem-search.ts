/**
 * Tuning: finding the fastest variant of a problem on a device within a time budget.
 *
 * - problem-search.ts  the search of a problem: screens many points with few samples, measures the
 *   finalists by the full protocol, and lets the fastest of them duel
 * - family-search.ts   the search of many shapes, which learn from each other
 * - protocol.ts  how a search asks for runs
 * - climb.ts   what to try next: hill climbing from the best so far, with restarts
 * - space.ts   the points of a kernel: combinations of its tunables that can run, never listed
 * - spaces.ts  which kernels are searched, and what of them fits a device
 * - driver.ts  who drives it: a command, or a worker whose grid was asked to search
 * - request.ts  what a grid is asked to search, and what it refuses; search.ts  that search
 * - selector.ts  what to run on a shape that nobody measured, by models of time (time-model.ts)
 * - evidence.ts  what is known of a device's times, one JSON file per op and dtype in evidence/: screened
 *   times and the winners of searches; `tilemark tune --save` writes them, `/best` answers from them
 *
 * Nothing here measures: a search asks for runs (protocol.ts), so tests answer by a formula. It depends
 * only on its seed and on what it was told; docs/results/tuning-h200.md has its results.
 */

import type { Problem } from '@tilemark/kernels';
import type { STOPS } from '../api/tuning';
import type { Duel, Outcome } from '../measure/outcome';
import type { PolicyId } from '../measure/policy';
import { contrast } from '../rank/head-to-head';
import { headline, type Interval, type Spread } from '../rank/headline';
import type { Contrast } from '../statistics/verdict';
import { type Expectation, NOTHING_KNOWN } from './best';
import { Climb } from './climb';
import {
  requestDuel,
  requestMeasurement,
  type Search,
  type TrialOutcome,
  wantedRun,
} from './protocol';
import type { Point, TuningSpace } from './space';

/** A point measured under a policy, or why it was not. */
export interface Trial<O extends TrialOutcome = Outcome> {
  readonly point: Point;
  readonly policy: PolicyId;
  readonly outcome: O;
}

export interface TuneOptions<O extends TrialOutcome = Outcome> {
  readonly problem: Problem;
  readonly spaces: readonly TuningSpace[];
  readonly seed: number;
  /** What evidence says of the problem on the device; absent: nothing. */
  readonly expected?: Expectation;
  readonly budgetNs: number;
  /** A monotonic clock, ns. */
  readonly nowNs: () => number;
  /** Called after each trial, with the fastest so far under the same policy. */
  readonly onTrial?: (trial: Trial<O>, best: Trial<O> | null) => void;
}

export interface Tuned<O extends TrialOutcome = Outcome> {
  readonly screened: readonly Trial<O>[];
  /** Measured by the full protocol, fastest first; those that failed come last. */
  readonly finals: readonly Trial<O>[];
  /** The final to name: ranked above those that are not, never implausible, and the winner of its duels. */
  readonly winner: Trial<O> | null;
  readonly duels: readonly Decided[];
  readonly stop: keyof typeof STOPS;
}

/** A duel of the finals: how `a` did against `b`. */
export interface Decided {
  readonly a: Point;
  readonly b: Point;
  readonly contrast: Contrast;
}

/** The leader of the finals duels this many of those behind it, and then its kernel's default. */
const MOST_CHALLENGERS = 2;

/** Part of the budget for screening; the rest is for the finals. */
const SCREENING_PART = 0.7;

/** Screened medians within this of the leader's are measured again by the full protocol. */
const FINALS_WITHIN = 1.1;

/** Screening ends once the leader takes this many times the least time that the device allows. */
const NEAR_ROOF = 1.05;

/** Finals without one that is believed, beyond which none will be: the roof is wrong, or the clock. */
const MOST_UNBELIEVED = 8;

/**
 * Screens what the search proposes with few samples until its share of the budget is used, then
 * measures those within 10% of the leader by the full protocol, fastest first, while the budget
 * lasts. The leader is always measured: the fastest that succeeds and is plausible. The fastest of
 * these duel, since separate measurements of theirs prove nothing; and the winner duels what evidence
 * put first and the default of its kernel, each of which is named instead unless it is beaten. The
 * search is asked for the points that follow before it is told the cost of the current one.
 */
export function* searchProblem<O extends TrialOutcome = Outcome>({
  problem,
  spaces,
  seed,
  expected = NOTHING_KNOWN,
  budgetNs,
  nowNs,
  onTrial,
}: TuneOptions<O>): Search<O, Tuned<O>> {
  const beganNs = nowNs();
  const spentNs = () => nowNs() - beganNs;
  function* take(
    trials: Trial<O>[],
    point: Point,
    policy: PolicyId,
    following: readonly Point[] = [],
  ): Search<O, number | null> {
    const outcome = yield* requestMeasurement<O>(wantedRun(problem, point, policy), () =>
      following.map((next) => wantedRun(problem, next, policy)),
    );
    const trial = { point, policy, outcome };
    trials.push(trial);
    const [best] = ranked(trials);
    onTrial?.(trial, best && medianNs(best) !== null ? best : null);
    return medianNs(trial);
  }

  const expectedIn = expected.points.filter((point) => spaces.some((space) => space.has(point)));
  const climb = new Climb(spaces, seed, expectedIn);
  const screened: Trial<O>[] = [];
  const isNearRoof = () => {
    const [leader] = candidates(screened);
    const ns = leader ? medianNs(leader) : null;
    return ns !== null && ns <= NEAR_ROOF * (expected.roofNs ?? 0);
  };
  const proposed: Point[] = [];
  /** The next point; what the search has just learned may open some where none were left before. */
  const propose = (): Point | null => {
    while (proposed.length < 2) {
      const point = climb.next();
      if (!point) break;
      proposed.push(point);
    }
    return proposed.shift() ?? null;
  };
  let point = propose();
  while (point && spentNs() < SCREENING_PART * budgetNs && !isNearRoof()) {
    climb.tell(point, yield* take(screened, point, 'screen', [...proposed]));
    point = propose();
  }
  const stop = isNearRoof() ? 'roof' : point ? 'budget' : 'exhausted';

  const finals: Trial<O>[] = [];
  let longestNs = 0;
  /** Screened time of the fastest that was measured in full and is believed. */
  let leaderNs: number | null = null;
  for (const trial of ranked(screened)) {
    const ns = medianNs(trial);
    if (ns === null || ns > FINALS_WITHIN * (leaderNs ?? ns)) break;
    if (leaderNs === null && finals.length >= MOST_UNBELIEVED) break;
    if (leaderNs !== null && spentNs() + longestNs > budgetNs) break;
    const startNs = nowNs();
    yield* take(finals, trial.point, 'default');
    longestNs = Math.max(longestNs, nowNs() - startNs);
    if (leaderNs === null && candidates(finals).length > 0) leaderNs = ns;
  }
  const duels: Decided[] = [];
  function* beats(a: Point, b: Point): Search<O, boolean> {
    const found = yield* requestDuel<O>(wantedRun(problem, a, 'default', b));
    if (found) duels.push({ a, b, contrast: found });
    return found === null || found.ratio >= 1;
  }
  let [winner = null, ...others] = candidates(finals);
  for (const other of others.slice(0, MOST_CHALLENGERS)) {
    if (!winner || isClearlyFaster(winner, other)) continue;
    if (!(yield* beats(winner.point, other.point))) winner = other;
  }
  const initial = () =>
    spaces.find(({ kernel }) => kernel.id === winner?.point.kernel)?.initial() ?? null;
  for (const rivalOf of [() => expectedIn[0], initial]) {
    const rival = rivalOf();
    if (!winner || !rival || rival.address === winner.point.address) continue;
    if (yield* beats(winner.point, rival)) continue;
    let final = finals.find(({ point }) => point.address === rival.address);
    if (!final) {
      yield* take(finals, rival, 'default');
      final = finals.at(-1);
    }
    if (final && candidates([final]).length > 0) winner = final;
  }
  return { screened, finals: ranked(finals), winner, duels, stop };
}

/** Finals that may be named, the one to prefer first: what would be ranked, else what is plausible. */
function candidates<O extends TrialOutcome>(finals: readonly Trial<O>[]): Trial<O>[] {
  const plausible = ranked(finals).filter(
    ({ outcome }) => outcome.kind === 'measured' && !outcome.measurement.disbelieved,
  );
  const isRanked = ({ outcome }: Trial<O>) =>
    outcome.kind === 'measured' && outcome.measurement.unranked === null;
  return plausible.some(isRanked) ? plausible.filter(isRanked) : plausible;
}

const isClearlyFaster = (
  { outcome: a }: Trial<TrialOutcome>,
  { outcome: b }: Trial<TrialOutcome>,
): boolean =>
  a.kind === 'measured' &&
  b.kind === 'measured' &&
  contrast(oneOf(a.measurement), oneOf(b.measurement)).verdict === 'FAST';

/** What differs from one process to the next is the same for both. */
const WITHIN_PROCESS: Spread = { relative: 0.003, df: 30, isShown: false };

const oneOf = ({ cold }: { readonly cold: Interval }) => headline([cold], WITHIN_PROCESS);

/** Fastest first; whatever was not measured comes last. */
function ranked<O extends TrialOutcome>(trials: readonly Trial<O>[]): Trial<O>[] {
  const cost = (trial: Trial<O>) => medianNs(trial) ?? Number.MAX_VALUE;
  return trials.toSorted((a, b) => cost(a) - cost(b));
}

/** Median of a trial's cold series, ns; null unless it was measured. */
export function medianNs({ outcome }: Pick<Trial<TrialOutcome>, 'outcome'>): number | null {
  return outcome.kind === 'measured' ? outcome.measurement.cold.medianNs : null;
}

/** The contrast of a duel; null where one of its times is not believed. */
export const contrastOfDuel = (duel: Duel): Contrast | null =>
  duel.a.implausible || duel.b.implausible ? null : duel;
