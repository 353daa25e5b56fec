/**
 * Simulated devices for bench/statistics.ts and its test: a device whose noise is known, measured
 * by the very code that measures real ones (stopping rule, interval, headline, verdict). Everything
 * follows from the seed.
 */
import {
  contrast,
  type DeviceClass,
  halfWidth,
  headline,
  isSettled,
  MARGIN,
  POLICIES,
  ranks,
  repeatedDuels,
  type Series,
  type Spread,
  spreadOfRepeats,
  spreadPrior,
  stoppingRule,
  summarise,
} from '@tilemark/core';

type Random = () => number;

/** Mulberry32. */
function random(seed: number): Random {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Standard normal (Box and Muller). */
const normal = (next: Random): number =>
  Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());

/** The noise within a series, with median 0 and a spread of 1. */
type Noise = (next: Random) => () => number;

const autoregressive =
  (part: number): Noise =>
  (next) => {
    let state = normal(next);
    return () => {
      const value = state;
      state = part * state + Math.sqrt(1 - part ** 2) * normal(next);
      return value;
    };
  };

/** Two modes three spreads apart, 65 to 35; its median found by bisection of the distribution. */
const MODES = { part: 0.65, apart: 3, width: 0.3, median: 0.2208948 };

const NOISES = {
  iid: (next) => () => normal(next),
  'AR(1) 0.5': autoregressive(0.5),
  'AR(1) 0.9': autoregressive(0.9),
  'AR(1) 0.99': autoregressive(0.99),
  // Cauchy cut at 300 spreads: neither mean nor deviation settles.
  'heavy tails': (next) => () => 0.5 * Math.tan(Math.PI * (next() * 0.998 + 0.001 - 0.5)),
  bimodal: (next) => () =>
    (next() < MODES.part ? 0 : MODES.apart) + MODES.width * normal(next) - MODES.median,
} satisfies Record<string, Noise>;

/** How the level of a device changes: per invocation, and with the time since it began, s. */
type Level = (next: Random) => (seconds: number) => number;

/** Up and down by 0.5% about the mean, at 1% per minute; each invocation begins anywhere. */
const DRIFT_PERIOD_S = 120;
const drift: Level = (next) => {
  const began = next() * DRIFT_PERIOD_S;
  return (seconds) => {
    const phase = ((began + seconds) / DRIFT_PERIOD_S) % 1;
    return 1 + 0.01 * (phase < 0.5 ? 2 * phase - 0.5 : 1.5 - 2 * phase);
  };
};
const betweenRuns =
  (spread: number): Level =>
  (next) => {
    const level = 1 + spread * normal(next);
    return () => level;
  };
/** As what else a machine does slows it: by a factor. */
const ofMachine =
  (spread: number): Level =>
  (next) => {
    const level = Math.exp(spread * normal(next));
    return () => level;
  };
const steady: Level = () => () => 1;

/** Two clock states 1% apart, each for 5 s on average. */
const STATES = { apart: 0.01, dwellS: 5 };
const twoStates: Level = (next) => {
  let side = next() < 0.5 ? 0.5 : -0.5;
  let untilS = 0;
  const stay = () => -Math.log(1 - next()) * STATES.dwellS;
  untilS = stay();
  return (seconds) => {
    for (; untilS <= seconds; untilS += stay()) side = -side;
    return 1 + STATES.apart * side;
  };
};

/** Two modes 3% apart, each for as long as a process lasts. */
const twoModes: Level = (next) => {
  const level = next() < 0.5 ? 0.985 : 1.015;
  return () => level;
};

interface Scenario {
  readonly noise: keyof typeof NOISES;
  readonly level: keyof typeof LEVELS;
  /** Spread of single samples, relative. */
  readonly cv: number;
  /** How long a sample takes, ms. */
  readonly sampleMs: number;
}

const LEVELS = {
  steady,
  'between-run 0.1%': betweenRuns(0.001),
  'between-run 0.3%': betweenRuns(0.003),
  'between-run 1%': betweenRuns(0.01),
  'between-run 2%': betweenRuns(0.02),
  'between-run 3%': betweenRuns(0.03),
  'machine 7%': ofMachine(0.07),
  'machine 20%': ofMachine(0.2),
  'machine 30%': ofMachine(0.3),
  'machine 37%': ofMachine(0.37),
  'drift 1%/min': drift,
  'two states': twoStates,
  'two modes 3%': twoModes,
};

/** Those whose median a series of 15 s can tell. */
export const NOISE_NAMES = ['iid', 'AR(1) 0.5', 'AR(1) 0.9', 'heavy tails', 'bimodal'] as const;

/** One invocation: samples until the stopping rule ends them. The true level of the device is 1. */
function measure({ noise, level, cv, sampleMs }: Scenario, next: Random, slower = 1): Series {
  let clockNs = 0;
  const rule = stoppingRule(POLICIES.default, () => clockNs);
  const draw = NOISES[noise](next);
  const levelAt = LEVELS[level](next);
  const samplesNs: number[] = [];
  rule.start();
  for (let stop = rule.finished(); ; stop = rule.finished()) {
    if (stop) return summarise(samplesNs);
    // Below a hundredth of the level no tail reaches.
    const ns = sampleMs * 1e6 * slower * Math.max(levelAt(clockNs / 1e9) * (1 + cv * draw()), 0.01);
    clockNs += ns;
    rule.add({ ns, dispatches: 1 });
    samplesNs.push(ns);
  }
}

/** The part of `count` trials in which something holds; its standard error is `sqrt(p (1 - p) / count)`. */
function partOf(count: number, holds: (trial: number) => boolean): number {
  let held = 0;
  for (let trial = 0; trial < count; trial++) if (holds(trial)) held++;
  return held / count;
}

/** How often the 95% interval of one invocation contains the level it ran at. */
export function seriesCoverage(scenario: Scenario, trials: number, seed: number): number {
  const next = random(seed);
  const truthNs = scenario.sampleMs * 1e6;
  return partOf(trials, () => contains(measure(scenario, next), truthNs));
}

/** What is known of a device whose invocations differ by `relative`, by variants that were repeated. */
interface Repeats {
  readonly relative: number;
  readonly variants: number;
  readonly invocations: number;
}

/** A GPU's spread as those repeats show it, drawn; or what is said of a class. */
function learned(known: Repeats | DeviceClass, next: Random): Spread {
  if (typeof known === 'string') return spreadPrior(known);
  const { relative, variants, invocations } = known;
  const repeated = Array.from({ length: variants }, () => {
    const { spread } = headline(
      Array.from({ length: invocations }, () => {
        const medianNs = 1e6 * (1 + relative * normal(next));
        return { medianNs, lowNs: medianNs, highNs: medianNs };
      }),
    );
    return { invocations, spread };
  });
  return spreadOfRepeats('gpu', repeated);
}

export const INVOCATIONS = [1, 2, 3, 5] as const;

export interface Told {
  /** How often the 95% interval of a headline contains the device's level. */
  readonly covered: number;
  /** How often two equal variants are FAST, SLOW or of different ranks, if both are ranked. */
  readonly apart: number;
}

/** What headlines of so many invocations tell of equal variants, by the spread as it is known of their device. */
export function headlines(
  scenario: Scenario,
  known: Repeats | DeviceClass,
  trials: number,
  seed: number,
  counts: readonly number[] = INVOCATIONS,
): Told[] {
  const next = random(seed);
  const truthNs = scenario.sampleMs * 1e6;
  const most = Math.max(...counts);
  const found = counts.map(() => ({ covered: 0, apart: 0 }));
  for (let trial = 0; trial < trials; trial++) {
    const spread = learned(known, next);
    const [a, b] = [0, 1].map(() => Array.from({ length: most }, () => measure(scenario, next)));
    for (const [at, count] of counts.entries()) {
      const told = found[at];
      const sides = [a, b].map((series = []) => series.slice(0, count));
      const [one, other] = sides.map((series) => headline(series, spread));
      if (!told || !one || !other) continue;
      for (const side of [one, other]) if (contains(side, truthNs)) told.covered += 1 / 2;
      const isRanked = sides.flat().every((series) => isSettled(series, POLICIES.default.interval));
      const { verdict } = contrast(one, other);
      const isApart =
        verdict === 'FAST' || verdict === 'SLOW' || new Set(ranks([one, other])).size > 1;
      if (isRanked && isApart) told.apart++;
    }
  }
  return found.map(({ apart, covered }) => ({ covered: covered / trials, apart: apart / trials }));
}

/** The part of series that end as not settled. */
export function unsettled(scenario: Scenario, trials: number, seed: number): number {
  const next = random(seed);
  return partOf(trials, () => !isSettled(measure(scenario, next), POLICIES.default.interval));
}

const contains = ({ lowNs, highNs }: Pick<Series, 'lowNs' | 'highNs'>, ns: number) =>
  lowNs <= ns && ns <= highNs;

const meanOf = ({ samplesNs }: Series) =>
  samplesNs.reduce((sum, ns) => sum + ns, 0) / samplesNs.length;

/** How far the 95% interval of one invocation reaches, relative: the middle of `trials`. */
export function typicalWidth(scenario: Scenario, trials: number, seed: number): number {
  const next = random(seed);
  const widths = Array.from({ length: trials }, () => halfWidth(measure(scenario, next)));
  return widths.sort((a, b) => a - b)[Math.floor(trials / 2)] ?? Number.NaN;
}

/** What is known of how invocations vary. */
const spreadOf = ({ level }: Scenario): Spread => ({
  relative: level === 'steady' ? 0 : 0.003,
  ...{ df: 1000, isShown: true },
});

/** The rules of nvbench for the same two series: compare.py's, and compare_robust.py's clear gap. */
const NVBENCH = {
  /** The means differ by more than the smaller coefficient of variation. */
  noise: (a: Series, b: Series) => Math.abs(meanOf(a) / meanOf(b) - 1) > Math.min(a.cv, b.cv),
  /** The fast three quarters of the samples lie at least 0.5% apart. */
  gap: (a: Series, b: Series) => a.q3Ns * 1.005 <= b.minNs || b.q3Ns * 1.005 <= a.minNs,
};

export interface Declared {
  readonly ours: number;
  readonly noise: number;
  readonly gap: number;
}

/** How often each rule declares two kernels different, one `slower` times as slow as the other. */
export function declaredDifferent(
  scenario: Scenario,
  slower: number,
  trials: number,
  seed: number,
): Declared {
  const next = random(seed);
  const spread = spreadOf(scenario);
  const found = { ours: 0, noise: 0, gap: 0 };
  for (let trial = 0; trial < trials; trial++) {
    const a = measure(scenario, next);
    const b = measure(scenario, next, slower);
    const { verdict } = contrast(headline([a], spread), headline([b], spread));
    if (verdict === 'FAST' || verdict === 'SLOW') found.ours++;
    if (NVBENCH.noise(a, b)) found.noise++;
    if (NVBENCH.gap(a, b)) found.gap++;
  }
  return { ours: found.ours / trials, noise: found.noise / trials, gap: found.gap / trials };
}

/** What each rule looks at, larger the more it takes two kernels for different. */
const SCORES = {
  ours: (a: Series, b: Series, spread: Spread) => {
    const { ratio, low, high } = contrast(headline([a], spread), headline([b], spread));
    return (Math.abs(Math.log(ratio)) - Math.log(1 + MARGIN)) / Math.log(high / low);
  },
  noise: (a: Series, b: Series) => Math.abs(meanOf(a) / meanOf(b) - 1) / Math.min(a.cv, b.cv),
  gap: (a: Series, b: Series) => Math.max(a.minNs / b.q3Ns, b.minNs / a.q3Ns),
} satisfies Record<keyof Declared, (a: Series, b: Series, spread: Spread) => number>;

/**
 * How often each rule finds one kernel `slower` than another, if all are set to take a difference
 * of the margin, which is not one, for one in 5%.
 */
export function powerAtEqualFalseRate(
  scenario: Scenario,
  slower: number,
  trials: number,
  seed: number,
): Declared {
  const next = random(seed);
  const pairs = (part: number) =>
    Array.from({ length: trials }, () => [measure(scenario, next), measure(scenario, next, part)]);
  const [same, different] = [pairs(1 + MARGIN), pairs(slower)];
  const found = { ours: 0, noise: 0, gap: 0 };
  for (const rule of ['ours', 'noise', 'gap'] as const) {
    const score = ([a, b]: Series[]) => (a && b ? SCORES[rule](a, b, spreadOf(scenario)) : 0);
    const most = same.map(score).sort((a, b) => a - b)[Math.ceil(0.95 * trials) - 1] ?? 0;
    found[rule] = different.filter((pair) => score(pair) > most).length / trials;
  }
  return found;
}

const MIRRORED = { FAST: 'SLOW', SLOW: 'FAST', SAME: 'SAME', UNDECIDED: 'UNDECIDED' } as const;

/** How often repeated duels and their mirror are not told the mirrored thing. */
export function unmirrored(trials: number, seed: number): number {
  const next = random(seed);
  return partOf(trials, () => {
    const duels = Array.from({ length: 1 + Math.floor(9 * next()) }, () => {
      const log = 0.02 * normal(next);
      const [down, up] = [0.01 * next(), 0.01 * next()];
      return { ratio: Math.exp(log), low: Math.exp(log - down), high: Math.exp(log + up) };
    });
    const mirror = duels.map(({ ratio, low, high }) => ({
      ratio: 1 / ratio,
      low: 1 / high,
      high: 1 / low,
    }));
    const [own, other] = [duels, mirror].map((those) => repeatedDuels(those, spreadPrior('gpu')));
    return !own || other?.verdict !== MIRRORED[own.verdict];
  });
}

/** How often, on a board of up to eight, a headline that is FAST against another does not rank before it. */
export function tied(trials: number, seed: number): number {
  const next = random(seed);
  return partOf(trials, () => {
    const board = Array.from({ length: 2 + Math.floor(7 * next()) }, () => {
      const medianNs = 1e6 * (1 + 0.1 * next());
      const width = next() < 0.5 ? 0.01 : 0.06;
      const [down, up] = [width * next(), width * next()];
      return { medianNs, lowNs: medianNs * (1 - down), highNs: medianNs * (1 + up) };
    });
    const places = ranks(board);
    return board.some((one, at) =>
      board.some(
        (other, behind) =>
          contrast(one, other).verdict === 'FAST' && (places[at] ?? 0) >= (places[behind] ?? 0),
      ),
    );
  });
}

interface Stability {
  /** Repetitions of a board in which two of the equal devices have different ranks. */
  readonly split: number;
  /** Repetitions in which the slower device is not ranked behind all of the equal ones. */
  readonly joined: number;
  /** The same by the best of all runs with the interval of that run, as methodology 1 did. */
  readonly splitByBest: number;
}

/**
 * Boards of five devices, four equal and one 3% slower. The first has been measured twenty times,
 * the others five: more runs must not mean a better place.
 */
export function rankStability(scenario: Scenario, trials: number, seed: number): Stability {
  const next = random(seed);
  const isSplit = (places: readonly number[]) => new Set(places.slice(0, 4)).size > 1;
  const found = { split: 0, joined: 0, splitByBest: 0 };
  for (let trial = 0; trial < trials; trial++) {
    const devices = [20, 5, 5, 5, 5].map((runs, device) =>
      Array.from({ length: runs }, () => measure(scenario, next, device === 4 ? 1.03 : 1)),
    );
    const places = ranks(devices.map((runs) => headline(runs)));
    if (isSplit(places)) found.split++;
    if (Math.max(...places.slice(0, 4)) >= (places[4] ?? 0)) found.joined++;
    const best = devices.map((runs) => runs.reduce((a, b) => (b.medianNs < a.medianNs ? b : a)));
    const byOverlap = best.map(
      ({ lowNs }) => 1 + best.filter((other) => other.highNs < lowNs).length,
    );
    if (isSplit(byOverlap)) found.splitByBest++;
  }
  return {
    split: found.split / trials,
    joined: found.joined / trials,
    splitByBest: found.splitByBest / trials,
  };
}
