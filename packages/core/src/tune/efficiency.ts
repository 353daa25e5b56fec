import { DTYPES, type Problem, parseVariant, shapeText } from '@tilemark/kernels';
import { group } from 'd3-array';
import { multiplyAdds, type Roof, type RooflineSurvey, surveyedRoof } from '../measure/roofline';
import type { Observation } from './evidence';

/** A kernel's fastest variant on a shape. */
export interface KernelBest {
  readonly kernel: string;
  readonly address: string;
  readonly ns: number;
  /** Part of the roof that binds: its shortest possible time by the time taken. */
  readonly part: number;
  readonly bound: Roof['bound'];
  /** Time by the winner's; 1 for the winner. */
  readonly behind: number;
}

export interface EfficiencyCell {
  readonly problem: Problem;
  /** Each kernel that was timed on the shape, fastest first: the first one wins. */
  readonly kernels: readonly KernelBest[];
}

export type EfficiencyMap =
  | { readonly cells: readonly EfficiencyCell[] }
  | { readonly why: string };

/**
 * How near each kernel comes to a device's roof, by shape. The times are cold, so the roof of
 * bytes is the copy over the largest working set: memory, not a cache.
 *
 * @returns why there is no map, where a peak that the problems need was not measured
 * @throws InputError for a variant that is not in the registry
 */
export function efficiencyMap(
  observations: readonly Observation[],
  survey: RooflineSurvey | undefined,
): EfficiencyMap {
  if (observations.length === 0) return { why: 'No times were measured on this device.' };
  if (!survey) return { why: 'The roofline of this device was not measured.' };
  if (survey.copies.length === 0) return { why: 'The copy rate of this device was not measured.' };
  for (const { problem, address } of observations) {
    if (problem.op !== 'matmul') continue;
    if (multiplyAdds(parseVariant(address), problem) === 0) {
      return { why: 'Many of its variants use matrix units, whose peak no probe measures.' };
    }
    const { peak } = DTYPES[problem.dtype];
    if (!survey.peaks.some(({ dtype }) => dtype === peak)) {
      return { why: `The peak rate of ${peak} was not measured on this device.` };
    }
  }
  const key = ({ problem }: Observation) => `${problem.op} ${shapeText(problem)} ${problem.dtype}`;
  return {
    cells: [...group(observations, key).values()].flatMap((times) => cellOf(times, survey)),
  };
}

function cellOf(observations: readonly Observation[], survey: RooflineSurvey): EfficiencyCell[] {
  const memory = survey.copies.at(-1)?.bytes;
  const bests = new Map<string, KernelBest>();
  const sorted = observations.toSorted((a, b) => a.ns - b.ns);
  const [winner] = sorted;
  if (!winner) return [];
  for (const { problem, address, ns } of sorted) {
    const variant = parseVariant(address);
    const { kernel } = variant;
    if (bests.has(kernel)) continue;
    const roof = surveyedRoof(survey, variant, problem, memory);
    if (!roof) throw new Error(`No roof over ${address}, though the device was surveyed.`);
    const { bound } = roof;
    bests.set(kernel, { kernel, address, ns, part: roof.ns / ns, bound, behind: ns / winner.ns });
  }
  return [{ problem: winner.problem, kernels: [...bests.values()] }];
}
