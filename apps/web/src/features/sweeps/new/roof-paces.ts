import { type Pace, POLICY_IDS, type RooflineSurvey } from '@tilemark/core';
import { opOf, type Problem, parseShape, shapeText, volume } from '@tilemark/kernels';

/** The part of its roof at which a kernel that nobody tuned runs, roughly. */
const USUAL_SHARE = 0.1;
/** Dispatches of a run besides those of its warm-up: samples, warm and cold, and verification. */
const DISPATCHES = 60;
/** Compiling, uploading, warming up, s. */
const FIXED_S = 2.5;
/** A run is cut off at this, verification included, s. */
const MOST_S = 60;

const EDGES = [64, 256, 512, 1024, 2048, 4096, 8192, 16384];

const squares: readonly ((edge: number) => Problem)[] = [
  (n) => ({ op: 'matmul', shape: { m: n, n, k: n }, dtype: 'f32' }),
  (n) => ({ op: 'transpose', shape: { rows: n, cols: n }, dtype: 'f32' }),
];

/** A past run says nothing of a problem with more or less work than this many times its own. */
const LIKE = 4;

/**
 * What a device's runs may take by its roof alone, for the problems unlike any that it has run:
 * what 128 x 128 took says nothing of 4096 x 4096.
 */
export function roofPaces(
  deviceKey: string,
  roofs: readonly RooflineSurvey[],
  past: readonly Pace[],
): Pace[] {
  const isKnown = (problem: Problem, policy: string) =>
    past.some((pace) => {
      if (pace.deviceKey !== deviceKey || pace.op !== problem.op || pace.policy !== policy)
        return false;
      const shape = parseShape(pace.op, pace.shape);
      const times = volume(problem) / volume({ op: pace.op, shape } as Problem);
      return times <= LIKE && times >= 1 / LIKE;
    });
  const peak = Math.max(
    ...roofs.flatMap(({ peaks }) => peaks.map((each) => each.gigaflopsPerSecond)),
  );
  const copy = Math.max(
    ...roofs.flatMap(({ copies }) => copies.map((each) => each.gigabytesPerSecond)),
  );
  return squares.flatMap((problemOf) =>
    EDGES.flatMap((edge) => {
      const problem = problemOf(edge);
      const op = opOf(problem);
      const ns = Math.max(
        op.flops(problem.shape) / peak,
        op.bytes(problem.shape, problem.dtype) / copy,
      );
      if (!Number.isFinite(ns) || ns <= 0) return [];
      const seconds = Math.min(MOST_S, FIXED_S + (DISPATCHES * ns) / USUAL_SHARE / 1e9);
      return POLICY_IDS.filter((policy) => !isKnown(problem, policy)).map(
        (policy): Pace => ({
          deviceKey,
          op: problem.op,
          shape: shapeText(problem),
          policy,
          seconds,
        }),
      );
    }),
  );
}
