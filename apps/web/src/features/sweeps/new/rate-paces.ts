import {
  type Pace,
  POLICIES,
  POLICY_IDS,
  type PolicyId,
  type RooflineSurvey,
} from '@tilemark/core';
import { opOf, type Problem, parseShape, shapeText, volume } from '@tilemark/kernels';

/** The part of its roof at which a kernel that nobody tuned runs, roughly. */
const USUAL_SHARE = 0.1;
/** Dispatches of the series, cold and warm, that no time limit cuts short. */
const SERIES_DISPATCHES = 60;
/** Compiling, uploading, warming up, s. */
const FIXED_S = 2.5;
/** Shorter dispatches tell what a launch takes, ns. */
const LEAST_TELLING_NS = 0.2e6;

const EDGES = [64, 256, 512, 1024, 2048, 4096, 8192, 16384];

const squares: readonly ((edge: number) => Problem)[] = [
  (n) => ({ op: 'matmul', shape: { m: n, n, k: n }, dtype: 'f32' }),
  (n) => ({ op: 'transpose', shape: { rows: n, cols: n }, dtype: 'f32' }),
];

/** A past run says nothing of a problem with more or less work than this many times its own. */
const LIKE = 4;

/**
 * What a device's runs may take by its rate alone, for the problems unlike any that it has run, to
 * tell those that would hang: what 128 x 128 took says nothing of 4096 x 4096. The rate is that of its past runs or, without any that
 * tell it, a tenth of its roof.
 */
export function ratePaces(
  deviceKey: string,
  roofs: readonly RooflineSurvey[],
  past: readonly Pace[],
): Pace[] {
  const known = past
    .filter((pace) => pace.deviceKey === deviceKey)
    .map((pace) => ({ ...pace, work: workOf(pace) }));
  const isKnown = (problem: Problem, policy: string) =>
    known.some((pace) => {
      if (pace.op !== problem.op || pace.policy !== policy) return false;
      const times = volume(problem) / pace.work;
      return times <= LIKE && times >= 1 / LIKE;
    });
  const peak = Math.max(
    ...roofs.flatMap(({ peaks }) => peaks.map((each) => each.gigaflopsPerSecond)),
  );
  const copy = Math.max(
    ...roofs.flatMap(({ copies }) => copies.map((each) => each.gigabytesPerSecond)),
  );
  const dispatchNs = (problem: Problem): number => {
    const [nearest] = known
      .flatMap(({ dispatchNs, op, work }) =>
        op === problem.op && dispatchNs !== undefined && dispatchNs >= LEAST_TELLING_NS
          ? [{ ns: (dispatchNs * volume(problem)) / work, away: distance(volume(problem), work) }]
          : [],
      )
      .toSorted((a, b) => a.away - b.away);
    const op = opOf(problem);
    const roofNs = Math.max(
      op.flops(problem.shape) / peak,
      op.bytes(problem.shape, problem.dtype) / copy,
    );
    return nearest?.ns ?? roofNs / USUAL_SHARE;
  };
  return squares.flatMap((problemOf) =>
    EDGES.flatMap((edge) => {
      const problem = problemOf(edge);
      const ns = dispatchNs(problem);
      if (!Number.isFinite(ns) || ns <= 0) return [];
      return POLICY_IDS.filter((policy) => !isKnown(problem, policy)).map(
        (policy): Pace => ({
          deviceKey,
          op: problem.op,
          shape: shapeText(problem),
          policy,
          seconds: runSeconds(policy, ns / 1e9),
          isGuess: true,
        }),
      );
    }),
  );
}

/**
 * What a run takes under a policy, s: a limit ends a series, and none of them goes without a dispatch.
 *
 * @param eachS of a dispatch
 */
function runSeconds(id: PolicyId, eachS: number): number {
  const { energy, hot, maxWallNs, rankable, warmup } = POLICIES[id];
  const series = hot ? 2 : 1;
  // Verified before the warm-up and on new inputs, each against a reference; held to the wall clock.
  const fewest = 2 + 1 + 2 + warmup.samples + (rankable ? 1 : 0) + series;
  const sampledS = Math.min(SERIES_DISPATCHES * eachS, (series * maxWallNs) / 1e9);
  const energyS = energy ? (energy.stretches * energy.stretchNs) / 1e9 : 0;
  return FIXED_S + fewest * eachS + sampledS + energyS;
}

const workOf = ({ op, shape }: Pace): number =>
  volume({ op, shape: parseShape(op, shape) } as Problem);

const distance = (a: number, b: number): number => Math.abs(Math.log2(a / b));
