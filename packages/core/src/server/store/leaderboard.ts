import type { Prisma, PrismaClient } from '@tilemark/db';
import type { Problem } from '@tilemark/kernels';
import {
  DEVICE_GROUPS,
  type Leaderboard,
  type LeaderboardQuery,
  type LeaderboardRow,
} from '../../api';
import type { Measurement, Outcome } from '../../outcome';
import { ranks } from '../../rank';
import { boardProblem, whereProblem } from './board-problem';
import { fromJson } from './json';
import { deviceRef, importedOf, rateOf } from './run-view';

const BOARD_ROW = {
  device: { select: { key: true, name: true, class: true } },
  result: {
    select: {
      outcome: true,
      importedBy: true,
      recordedAt: true,
      run: { select: { address: true, kernel: true, tunables: true } },
    },
  },
} satisfies Prisma.BestInclude;
type BestRow = Prisma.BestGetPayload<{ include: typeof BOARD_ROW }>;

/**
 * The board of one problem: a row a device, in groups by class; within a class
 * the ranked ones by time, then the unranked ones. Reads `Best` only, whose size
 * does not follow history.
 *
 * @throws InputError at `shape` for text that is no shape of the op
 */
export async function leaderboardOf(
  db: PrismaClient,
  query: LeaderboardQuery,
): Promise<Leaderboard> {
  const board = await boardProblem(db, query);
  const { problem } = board;
  if (!problem) return { ...board, rows: [] };

  const rows = await db.best.findMany({ where: whereProblem(problem, query), include: BOARD_ROW });
  const machines = await machinesOf(
    db,
    rows.map((row) => row.deviceKey),
  );
  return {
    ...board,
    rows: DEVICE_GROUPS.flatMap((kind) =>
      rankedRows(
        rows.filter((row) => row.device.class === kind),
        problem,
        machines,
      ),
    ),
  };
}

/** Distinct hosts whose workers have handed in results, by device. */
async function machinesOf(
  db: PrismaClient,
  deviceKeys: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await db.$queryRaw<{ deviceKey: string; machines: number }[]>`
    SELECT "deviceKey", count(DISTINCT "host")::int AS machines FROM "Worker"
    WHERE "deviceKey" = ANY(${deviceKeys}) GROUP BY "deviceKey"`;
  return new Map(rows.map(({ deviceKey, machines }) => [deviceKey, machines]));
}

function rankedRows(
  rows: readonly BestRow[],
  problem: Problem,
  machines: ReadonlyMap<string, number>,
): LeaderboardRow[] {
  const byTime = rows.toSorted((a, b) => a.medianNs - b.medianNs);
  const ranked = byTime.filter((row) => row.unranked === null);
  const unranked = byTime.filter((row) => row.unranked !== null);
  const places = ranks(ranked);
  return [
    ...ranked.map((row, index) => ({ ...boardRow(row, problem), rank: places[index] ?? null })),
    ...unranked.map((row) => boardRow(row, problem)),
  ].map((row) => ({ ...row, machines: machines.get(row.device.key) ?? 0 }));
}

function boardRow(row: BestRow, problem: Problem): Omit<LeaderboardRow, 'machines'> {
  const { run } = row.result;
  return {
    rank: null,
    device: deviceRef(row.device),
    resultId: row.resultId,
    address: run.address,
    variant: { kernel: run.kernel, tunables: fromJson(run.tunables) },
    medianNs: row.medianNs,
    lowNs: row.lowNs,
    highNs: row.highNs,
    rate: rateOf(problem, row.medianNs),
    speedupOverNaive: speedupOverNaive(row),
    roof: roofOf(row),
    unranked: row.unranked,
    measuredAt: row.measuredAt.toISOString(),
    imported: importedOf(row.result),
  };
}

function roofOf({ result }: BestRow): NonNullable<Measurement['roof']> | null {
  const outcome = fromJson<Outcome>(result.outcome);
  return outcome.kind === 'measured' ? (outcome.measurement.roof ?? null) : null;
}

/** A result that counts is compared with one that counts too, or not at all. */
function speedupOverNaive(row: BestRow): number | null {
  if (row.naiveMedianNs === null) return null;
  if (row.unranked === null && row.naiveUnranked !== null) return null;
  return row.naiveMedianNs / row.medianNs;
}
