import { opOf, type Problem, parseShape } from '@tilemark/kernels';
import type { PolicyId } from './policy';

/** How long runs of a device have taken, from one end to the next: compiling and verifying count. */
export interface Pace {
  readonly deviceKey: string;
  readonly op: Problem['op'];
  /** As `shapeText` writes it. */
  readonly shape: string;
  readonly policy: string;
  /** Median of the runs, s. */
  readonly seconds: number;
}

/**
 * How long a run may take, by what runs of the same op under the same policy took on its
 * device: on the shape whose work is nearest. Null where there
 * were none: another device, op or policy says nothing.
 */
export function secondsOf(
  { deviceKey, problem, policy }: { deviceKey: string; problem: Problem; policy: PolicyId },
  paces: readonly Pace[],
): number | null {
  const op = opOf(problem);
  const work = workOf(op, problem.shape);
  const [nearest] = paces
    .filter((pace) => {
      return pace.deviceKey === deviceKey && pace.policy === policy && pace.op === problem.op;
    })
    .map(({ seconds, shape }) => {
      const doublings = Math.log2(work / workOf(op, parseShape(problem.op, shape)));
      return { seconds, distance: Math.abs(doublings) };
    })
    .toSorted((a, b) => a.distance - b.distance);
  return nearest?.seconds ?? null;
}

/** What time follows: the product of the dimensions. */
const workOf = (op: ReturnType<typeof opOf>, shape: Problem['shape']): number =>
  op.sizes(shape).reduce((product, size) => product * size, 1);
