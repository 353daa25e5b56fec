import type { PrismaClient } from '@tilemark/db';
import { kernelsOf, type Problem } from '@tilemark/kernels';
import type { GroupedQuery, HeatMap, HeatMapCell } from '../../api';
import { rateOf } from './run-view';
import { byDevice, type DeviceTimes, variantTimes } from './variant-times';

/** Where each kernel stands on each device: the contract is at `Store.heatMap`. */
export async function heatMapOf(db: PrismaClient, query: GroupedQuery): Promise<HeatMap> {
  const { board, times } = await variantTimes(db, query);
  const { problem } = board;
  if (!problem) return { ...board, kernels: [], rows: [] };
  const measured = new Set(times.map(({ kernel }) => kernel));
  const kernels = kernelsOf(problem.op)
    .map(({ id }) => id)
    .filter((id) => measured.has(id));
  // Kernels of earlier releases come last.
  kernels.push(...[...measured].filter((id) => !kernels.includes(id)).sort());
  const rows = [...byDevice(times).values()].map((of) => ({
    device: of[0].device,
    cells: cellsOf(of, kernels, problem),
  }));
  return { ...board, kernels, rows };
}

function cellsOf(times: DeviceTimes, kernels: readonly string[], problem: Problem): HeatMapCell[] {
  const [best] = times;
  return kernels.flatMap((id) => {
    const time = times.find(({ kernel }) => kernel === id);
    if (!time) return [];
    const { address, kernel, medianNs, resultId, unranked } = time;
    const isComparable = unranked === null || best.unranked !== null;
    return {
      ...{ kernel, address, resultId, medianNs, unranked },
      rate: rateOf(problem, medianNs),
      partOfBest: isComparable ? best.medianNs / medianNs : null,
    };
  });
}
