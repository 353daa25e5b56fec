import {
  type Executor,
  feasible,
  type Prepared,
  type Problem,
  refuseIf,
  resolveVariant,
  type Secrets,
  type Variant,
} from '@tilemark/kernels';
import { z } from 'zod';
import { type MedianInterval, medianInterval } from '../statistics/median';
import { summarise } from '../statistics/summary';
import { verdictOn } from '../statistics/verdict';
import { bufferSetsFor, roundingNs } from './calibrate';
import type { DeviceCapabilities } from './device';
import { endedBy, roofOver, type Surroundings } from './measure';
import {
  type Duel,
  duelSchema,
  type MeasuredOutcome,
  type Outcome,
  outcomeReason,
  outcomeSchema,
} from './outcome';
import { POLICIES } from './policy';
import { Proof } from './proof';
import { drawSeed, secretsOf } from './seed';
import { type Sampler, takeSample, warmUpAndCalibrate } from './series';
import { implausibleReason, keepsResultsReason, MAX_FRESH_RATIO } from './trust';

/**
 * A duel of two: they take turns on one device, two variants in one process or a variant under two
 * releases of its runtime, each in its own, A B B A or B A A B as drawn
 * for each round, so that whatever changes slowly (clocks, heat, other programs) or comes every few
 * turns meets both alike. The ratio is that of the
 * rounds, each of which is a ratio by itself; its interval pays for dependence as that of a series.
 */

/** The orders of a round; a linear drift cancels in both. */
const ORDERS = [
  ['a', 'b', 'b', 'a'],
  ['b', 'a', 'a', 'b'],
] as const;
type Side = 'a' | 'b';

/** Of two rounds, one has either order, which comes first is drawn: both are met equally often. */
function orderOf(round: number, secrets: Secrets): readonly Side[] {
  const first = secrets('order', Math.floor(round / 2));
  return (first + round) % 2 === 0 ? ORDERS[0] : ORDERS[1];
}

/** A duel ends when the interval of the ratio is within this, relative. */
const WIDTH = 0.001;
/** It lasts at least so long, ns, and so many rounds, fewer of those that take over a second. */
const LEAST_NS = 1e9;
const LEAST_ROUNDS = 50;
const LEAST_SLOW_ROUNDS = 6;
const SLOW_ROUND_NS = 1e9;
/** Rounds between two looks, as a part of those taken. */
const LOOK_AFTER = 1.25;

/** How a duel ended: if a side could not be measured, how that side ended. */
const duelOutcomeSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('dueled'), duel: duelSchema }),
  z.object({ kind: z.literal('ended'), side: z.enum(['a', 'b']), outcome: outcomeSchema }),
]);
export type DuelOutcome = z.infer<typeof duelOutcomeSchema>;

export interface DuelOptions {
  /** Absent: as long as after a run of the default policy. */
  readonly longestNs?: number;
  /** A relative difference that does not matter: a tenth of it is narrow enough. Absent: none. */
  readonly tolerance?: number;
}

/** Ends a duel for the side that is acting. */
export class SideEnded extends Error {
  override readonly name = 'SideEnded';
  constructor(readonly outcome: Outcome) {
    super('a side of the duel ended');
  }
}

/** One side of a duel, open where its device is. Its verbs throw SideEnded or DeviceFault. */
export interface DuelSide {
  /** Takes the next sample; the time of a dispatch, ns. */
  turn(): Promise<number>;
  /** Verifies what was written last, and tells of the samples. */
  end(): Promise<Duel[Side]>;
}

/** The problem and variant of a side. */
export interface SideInput {
  readonly variant: Variant;
  readonly problem: Problem;
  /** Of inputs, checks and the order of turns: that of both sides. */
  readonly seed: number;
}

/**
 * Verifies both variants, lets them take turns on new inputs, verifying some of these, and verifies
 * what each wrote last. Throws `DeviceFault` alone.
 */
export async function runDuel(
  executor: Executor,
  variants: Readonly<Record<Side, Variant>>,
  problem: Problem,
  capabilities: DeviceCapabilities,
  surroundings: Surroundings,
  options: DuelOptions = {},
): Promise<DuelOutcome> {
  const { nowNs, seed = drawSeed() } = surroundings;
  const open: Prepared[] = [];
  const opening = (side: Side) => async () => {
    const input = { variant: variants[side], problem, seed };
    const { prepared, side: opened } = await openSide(executor, input, capabilities, surroundings);
    open.push(prepared);
    return opened;
  };
  try {
    return await takeTurns({ a: opening('a'), b: opening('b') }, { ...options, nowNs, seed });
  } finally {
    for (const prepared of open) prepared.destroy();
  }
}

/** Opens one side: verified, warmed up, and with samples of the right length. */
export async function openSide(
  executor: Executor,
  { variant, problem, seed }: SideInput,
  capabilities: DeviceCapabilities,
  surroundings: Surroundings,
): Promise<{ readonly side: DuelSide; readonly prepared: Prepared }> {
  const { canary = null, deviceClass, lastLevelCacheBytes, nowNs, onStep, roofline } = surroundings;
  const bufferSets = bufferSetsFor(problem, lastLevelCacheBytes);
  const secrets = secretsOf(seed);
  const policy = POLICIES.default;
  const fit = feasible(variant, problem, capabilities);
  if (!fit.ok) throw new SideEnded({ kind: 'skipped', why: fit.why });
  onStep?.('compile');
  const prepared = await endingSide('prepare', () =>
    executor.prepare(variant, problem, {
      seed: secrets('inputs'),
      secrets,
      bufferSets,
      timeUpload: false,
    }),
  );
  try {
    const proof = new Proof(prepared, secrets, nowNs);
    const sampler: Sampler = {
      prepared: proof.sampler,
      policy,
      timer: executor.timer,
      nowNs,
      canary,
    };
    const tellsFreshness = roundingNs(executor.timer) === 0;
    const dispatches = await endingSide('prepare', async () => {
      await proof.first();
      const warmSinceNs = nowNs();
      await proof.stretch(policy.stretch);
      const warm = await warmUpAndCalibrate(sampler, warmSinceNs);
      await proof.beforeSeries({ looks: Number.POSITIVE_INFINITY, isRepeated: tellsFreshness });
      return warm.dispatches;
    });
    const samplesNs: number[] = [];
    const side: DuelSide = {
      turn: () =>
        endingSide('measure', async () => {
          if (samplesNs.length === 0) onStep?.('cold');
          const ns = (await takeSample(sampler, dispatches, true)) / dispatches;
          samplesNs.push(ns);
          return ns;
        }),
      end: async () => {
        await endingSide('measure', () => proof.afterCold(dispatches));
        const freshRatio = tellsFreshness
          ? await endingSide('measure', () => proof.freshRatio(MAX_FRESH_RATIO, dispatches))
          : null;
        const series = summarise(samplesNs);
        const roof =
          roofline && (await roofOver(variant, problem, series, bufferSets, roofline, deviceClass));
        const implausible =
          keepsResultsReason(freshRatio) ?? implausibleReason(series, roof ?? null, deviceClass);
        return { ...series, implausible };
      },
    };
    return { side, prepared };
  } catch (error) {
    prepared.destroy();
    throw error;
  }
}

/** Ends the side as a run ends whose step fails. */
async function endingSide<T>(stage: 'prepare' | 'measure', work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new SideEnded(endedBy(error, stage));
  }
}

/**
 * Opens two sides and lets them take turns, wherever each is: in one process, or each in its own.
 * Throws `DeviceFault` alone.
 *
 * @param nowNs a monotonic clock, ns
 */
export async function takeTurns(
  opening: Readonly<Record<Side, () => Promise<DuelSide>>>,
  {
    longestNs = POLICIES.default.longestDuelNs,
    nowNs,
    seed,
    tolerance = 0,
  }: DuelOptions & { readonly nowNs: () => number; readonly seed: number },
): Promise<DuelOutcome> {
  const secrets = secretsOf(seed);
  const width = Math.max(WIDTH, tolerance / 10);
  let acting: Side = 'a';
  const as = <T>(side: Side, act: () => Promise<T>) => {
    acting = side;
    return act();
  };
  try {
    const sides = { a: await as('a', opening.a), b: await as('b', opening.b) };
    const ratios: number[] = [];
    const beganNs = nowNs();
    let longestRoundNs = 0;
    let interval = { median: 0, low: 0, high: 0 };
    let stop: Duel['stop'] | null = null;
    for (let nextLook = 1; !stop; ) {
      const roundBeganNs = nowNs();
      let log = 0;
      for (const side of orderOf(ratios.length, secrets)) {
        const ns = await as(side, () => sides[side].turn());
        log += (side === 'a' ? -0.5 : 0.5) * Math.log(ns);
      }
      ratios.push(log);
      const endedNs = nowNs();
      longestRoundNs = Math.max(longestRoundNs, endedNs - roundBeganNs);
      const isCapped = endedNs - beganNs >= longestNs;
      if (ratios.length < nextLook && !isCapped) continue;
      nextLook = Math.ceil(LOOK_AFTER * ratios.length);
      const { independent, ...estimate } = medianInterval(ratios);
      interval = estimate;
      const least = longestRoundNs > SLOW_ROUND_NS ? LEAST_SLOW_ROUNDS : LEAST_ROUNDS;
      const isNarrow = (interval.high - interval.low) / 2 <= width && independent >= least;
      if (isNarrow && endedNs - beganNs >= LEAST_NS) stop = 'converged';
      else if (isCapped) stop = 'capped';
    }
    const ended = { a: await as('a', sides.a.end), b: await as('b', sides.b.end) };
    return {
      kind: 'dueled',
      duel: { ...contrastOf(interval), rounds: ratios.length, stop, ...ended },
    };
  } catch (error) {
    if (!(error instanceof SideEnded)) throw error;
    return { kind: 'ended', side: acting, outcome: error.outcome };
  }
}

const contrastOf = ({ median, low, high }: Pick<MedianInterval, 'median' | 'low' | 'high'>) =>
  verdictOn(Math.exp(median), Math.exp(low), Math.exp(high));

/** The outcome of a measured run, with its duel against a rival. */
export function afterDuel(outcome: MeasuredOutcome, rival: Variant, ended: DuelOutcome): Outcome {
  if (ended.kind === 'ended' && ended.side === 'a') return ended.outcome;
  const against = resolveVariant(rival.kernel, rival.tunables).address;
  const duel = ended.kind === 'dueled' ? ended.duel : null;
  const why = ended.kind === 'ended' ? outcomeReason(ended.outcome) : null;
  return { ...outcome, measurement: { ...outcome.measurement, duel: { against, duel, why } } };
}

/** The duel as its samples have it, whatever it says of itself. Throws InputError. */
export function recomputedDuel({ a, b, rounds, stop }: Duel, field: string): Duel {
  const count = 2 * rounds;
  refuseIf(
    a.samplesNs.length !== count || b.samplesNs.length !== count,
    `${rounds} rounds have ${count} samples of each side`,
    field,
  );
  const logs = ({ samplesNs }: Duel['a'], round: number) =>
    samplesNs.slice(2 * round, 2 * round + 2).reduce((sum, ns) => sum + Math.log(ns) / 2, 0);
  const ratios = Array.from({ length: rounds }, (_, round) => logs(b, round) - logs(a, round));
  const side = ({ samplesNs, implausible }: Duel['a']) => ({
    ...summarise(samplesNs),
    implausible,
  });
  return { ...contrastOf(medianInterval(ratios)), rounds, stop, a: side(a), b: side(b) };
}
