import type { Profile, ReferenceFigure } from '@tilemark/core';
import type { Store } from '@tilemark/core/server';
import { DTYPES, idsOf, type OpId, type Problem, rateOf } from '@tilemark/kernels';

/** A kernel on the problem, device and profile that give it its highest rate. */
export interface Best {
  readonly problem: Problem;
  readonly rate: number;
  readonly where: string;
  readonly profile: Profile;
  readonly isRanked: boolean;
}

type KernelBest = Best & { readonly kernel: string };

/** Figures that ship have fewer digits than the results that they were taken from. */
const rounded = ({ rate }: Best): number => Number(rate.toPrecision(9));

/** Kernels of an op with their highest rate on any problem, of this grid or else of the reference. */
export async function ladderOf(store: Store, op: OpId) {
  const [gridBests, ...figures] = await Promise.all([
    bestsOf(store, op),
    ...idsOf(DTYPES).map((dtype) => store.references.list({ op, dtype })),
  ]);
  const slowestFirst = [...figures.flat().flatMap(figureBest), ...gridBests].toSorted(
    (a, b) => rounded(a) - rounded(b),
  );
  const fastest = new Map(
    slowestFirst.map(({ kernel, ...best }): [string, Best] => [kernel, best]),
  );
  return { op, fastest };
}

/** The grid's own bests of an op's kernels on each problem, at most 30 s old. */
const bestsOf = async (store: Store, op: OpId): Promise<KernelBest[]> =>
  (await store.kernelBests())
    .filter(({ problem }) => problem.op === op)
    .map(({ device, isImported, kernel, medianNs, problem, profile, unranked }) => ({
      kernel,
      problem,
      profile,
      isRanked: unranked === null,
      rate: rateOf(problem, medianNs).value,
      where: isImported ? `${device}, imported` : device,
    }));

/** Nothing of a report, whose kernel is an idea of ours and not our code: it has no profile. */
function figureBest({
  by,
  hardware,
  problem,
  profile,
  rate,
  unranked,
}: ReferenceFigure): KernelBest[] {
  if (by.kind !== 'kernel' || profile === null) return [];
  const where = `${hardware ?? 'not named'}, reference`;
  return [
    { kernel: by.kernel, problem, profile, isRanked: unranked === null, rate: rate.value, where },
  ];
}
