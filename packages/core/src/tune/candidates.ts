import {
  type GpuKernel,
  KERNELS,
  type Problem,
  resolveVariant,
  type TunableValues,
} from '@tilemark/kernels';
import type { Point } from './space';

/**
 * The variants worth trying on a problem, as its kernels declare them: a few dozen, where the
 * kernels together have more than a million. `tilemark tune --suite` begins with them, and they are
 * what the selector's evidence was measured on. Later rungs come first: of equal times, the more
 * special kernel's.
 */
export function candidatesFor(problem: Problem): Point[] {
  const points = KERNELS.toReversed().flatMap((kernel) => {
    if (kernel.runsOn !== 'gpu' || kernel.op !== problem.op) return [];
    if (!kernel.dtypes.includes(problem.dtype)) return [];
    const candidates = kernel.candidates?.(problem) ?? [];
    return candidates.flatMap((tunables) => pointOf(kernel, tunables, problem));
  });
  return [...new Map(points.map((point) => [point.address, point])).values()];
}

function pointOf(kernel: GpuKernel, chosen: TunableValues, problem: Problem): Point[] {
  const isDeclared = kernel.tunables.every(
    ({ name, values }) => chosen[name] === undefined || values.includes(chosen[name]),
  );
  if (!isDeclared) return [];
  const { address, tunables } = resolveVariant(kernel.id, chosen);
  const fits =
    kernel.constraints.every(({ holds }) => holds(tunables)) &&
    (kernel.problemConstraints ?? []).every(({ holds }) => holds(tunables, problem));
  if (!fits) return [];
  if (Math.max(...kernel.workgroups(tunables, problem)) > MOST_WORKGROUPS) return [];
  return [{ kernel: kernel.id, tunables, address }];
}

/** WebGPU's own limit on workgroups along a dimension. */
const MOST_WORKGROUPS = 65_535;
