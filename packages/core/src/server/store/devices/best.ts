import type { PrismaClient } from '@tilemark/db';
import { volume } from '@tilemark/kernels';
import type { BestResult } from '../../../api/api';
import { headlines, PROBLEM } from '../boards/headlines';
import { byKind, RUN_VIEW, runResult } from '../run-view';

/** Best measured result of each problem on the device. */
export async function bestOnDevice(db: PrismaClient, key: string): Promise<BestResult[]> {
  const bests = await headlines(db, { deviceKey: key, isBest: true }, { per: PROBLEM });
  const runs = await db.run.findMany({
    where: { result: { id: { in: bests.map(({ resultId }) => resultId) } } },
    include: RUN_VIEW,
  });
  const runOf = new Map(runs.map((run) => [run.result?.id, run]));
  const results = bests.flatMap(({ highNs, lowNs, medianNs, resultId }) => {
    const run = runOf.get(resultId);
    return run ? { ...runResult(run), headline: { medianNs, lowNs, highNs } } : [];
  });
  // By size, not as text: 512 comes before 1024.
  return results.toSorted((a, b) => byKind(a, b) || volume(a.problem) - volume(b.problem));
}
