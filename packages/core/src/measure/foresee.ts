import {
  type Executor,
  feasible,
  opOf,
  type Problem,
  problemWith,
  type Shape,
  type Variant,
} from '@tilemark/kernels';
import type { DeviceCapabilities } from './device';

/** A dispatch of this much work, operations or bytes, is short on any GPU: it is tried first. */
const SHORT_WORK = 2 ** 22;

/**
 * Why one dispatch would take longer than `longestNs`; null if it will not. It is told without
 * trying: from the same variant on smaller shapes, each with at most eight times the work of the one
 * before (a batch: sixteen), and only while that too will be short.
 */
export async function tooLong(
  executor: Executor,
  variant: Variant,
  problem: Problem,
  capabilities: DeviceCapabilities,
  longestNs: number,
): Promise<string | null> {
  const shapes = shrunk(problem);
  for (const [at, smaller] of shapes.entries()) {
    if (smaller === problem) return null;
    if (!feasible(variant, smaller, capabilities).ok) continue;
    const prepared = await executor.prepare(variant, smaller, { seed: 1, bufferSets: 1 });
    try {
      // The first one may compile.
      await prepared.sample({ dispatches: 1, rotate: false });
      const { ns } = await prepared.sample({ dispatches: 1, rotate: false });
      const next = shapes[at + 1] ?? problem;
      const foreseenNs = (ns * workOf(next)) / workOf(smaller);
      if (foreseenNs > longestNs) {
        const wholeNs = (ns * workOf(problem)) / workOf(smaller);
        return `one dispatch would take about ${(wholeNs / 1e9).toPrecision(2)} s, and a browser's tab keeps each under ${longestNs / 1e9} s so that the desktop stays usable`;
      }
    } finally {
      prepared.destroy();
    }
  }
  return null;
}

/** The problem with its dimensions halved again and again, the least work first. */
function shrunk(problem: Problem): Problem[] {
  const op = opOf(problem);
  const problems = [problem];
  for (let least = problem; workOf(least) > SHORT_WORK; ) {
    const halves = op.sizes(least.shape).map((size) => Math.ceil(size / 2));
    const half = problemWith(problem.op, op.shape(halves) as Shape, problem.dtype);
    if (!half) break;
    problems.unshift(half);
    least = half;
  }
  return problems;
}

function workOf(problem: Problem): number {
  const op = opOf(problem);
  return Math.max(op.flops(problem.shape), op.bytes(problem.shape, problem.dtype));
}
