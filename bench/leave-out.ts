/**
 * How well a selector chooses for what it has no times of: shapes, and devices, are left out in turn, and
 * its choice is set against the best that was measured there.
 */
import { type Beside, nearestToBest, type Observation, type Point, Selector } from '@tilemark/core';
import { type Problem, shapeText } from '@tilemark/kernels';
import { group, least } from 'd3-array';

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
  for (const times of group(
    observations,
    ({ problem }) => `${shapeText(problem)} ${problem.dtype}`,
  ).values()) {
    yield regretOf(times, (problem, able) => {
      const best = nearestToBest(selectors.map((selector) => selector.rank(problem, able)));
      return best === undefined ? undefined : { address: best, ns: null };
    });
  }
}

/** The cost of a choice on one shape, by what was measured there; null where there is no choice. */
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
