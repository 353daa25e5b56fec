import type { Prisma, PrismaClient } from '@tilemark/db';
import { type Problem, shapeText } from '@tilemark/kernels';
import {
  DEVICE_GROUPS,
  type Leaderboard,
  type LeaderboardQuery,
  type LeaderboardRow,
} from '../../api';
import type { DeviceClass } from '../../device';
import type { Measurement } from '../../outcome';
import { ranks } from '../../rank';
import { boardProblem } from './board-problem';
import { fromJson } from './json';
import { importedOf, rateOf } from './run-view';

interface BestRow {
  readonly deviceKey: string;
  readonly name: string;
  readonly class: DeviceClass;
  /** Distinct hosts whose workers have handed in results. */
  readonly machines: number;
  readonly resultId: string;
  readonly medianNs: number;
  readonly lowNs: number;
  readonly highNs: number;
  readonly unranked: string | null;
  readonly measuredAt: Date;
  readonly naiveMedianNs: number | null;
  readonly naiveUnranked: string | null;
  readonly roof: Measurement['roof'];
  readonly importedBy: string | null;
  readonly recordedAt: Date;
  readonly address: string;
  readonly kernel: string;
  readonly tunables: Prisma.JsonValue;
}

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

  const rows = await bestRows(db, problem, query);
  return {
    ...board,
    rows: DEVICE_GROUPS.flatMap((kind) =>
      rankedRows(
        rows.filter((row) => row.class === kind),
        problem,
      ),
    ),
  };
}

/** The best result of each device on a problem. One statement: a busy grid's board is read anew for every reader. */
function bestRows(
  db: PrismaClient,
  problem: Problem,
  { profile }: Pick<LeaderboardQuery, 'profile'>,
): Promise<BestRow[]> {
  const { op, dtype } = problem;
  return db.$queryRaw<BestRow[]>`
    WITH best AS (
      SELECT * FROM "Best"
      WHERE "op" = ${op}::"Op" AND "dtype" = ${dtype}::"Dtype"
        AND "profile" = ${profile}::"Profile" AND "shape" = ${shapeText(problem)}),
    hosts AS (
      SELECT "deviceKey", count(DISTINCT "host")::int AS "machines" FROM "Worker"
      WHERE "deviceKey" IN (SELECT "deviceKey" FROM best)
      GROUP BY "deviceKey")
    SELECT best."deviceKey", device."name", device."class"::text,
      coalesce(hosts."machines", 0) AS "machines",
      best."resultId", best."medianNs", best."lowNs", best."highNs", best."unranked",
      best."measuredAt", best."naiveMedianNs", best."naiveUnranked",
      nullif(result."outcome" #> '{measurement,roof}', 'null') AS "roof",
      result."importedBy", result."recordedAt", run."address", run."kernel", run."tunables"
    FROM best
    JOIN "Device" AS device ON device."key" = best."deviceKey"
    JOIN "Result" AS result ON result."id" = best."resultId"
    JOIN "Run" AS run ON run."id" = result."runId"
    LEFT JOIN hosts ON hosts."deviceKey" = best."deviceKey"`;
}

function rankedRows(rows: readonly BestRow[], problem: Problem): LeaderboardRow[] {
  const byTime = rows.toSorted((a, b) => a.medianNs - b.medianNs);
  const ranked = byTime.filter((row) => row.unranked === null);
  const unranked = byTime.filter((row) => row.unranked !== null);
  const places = ranks(ranked);
  return [
    ...ranked.map((row, index) => ({ ...boardRow(row, problem), rank: places[index] ?? null })),
    ...unranked.map((row) => boardRow(row, problem)),
  ];
}

const boardRow = (row: BestRow, problem: Problem): LeaderboardRow => ({
  rank: null,
  device: { key: row.deviceKey, name: row.name, class: row.class },
  resultId: row.resultId,
  address: row.address,
  variant: { kernel: row.kernel, tunables: fromJson(row.tunables) },
  medianNs: row.medianNs,
  lowNs: row.lowNs,
  highNs: row.highNs,
  rate: rateOf(problem, row.medianNs),
  speedupOverNaive: speedupOverNaive(row),
  roof: row.roof ?? null,
  unranked: row.unranked,
  measuredAt: row.measuredAt.toISOString(),
  imported: importedOf(row),
  machines: row.machines,
});

/** A result that counts is compared with one that counts too, or not at all. */
function speedupOverNaive(row: BestRow): number | null {
  if (row.naiveMedianNs === null) return null;
  if (row.unranked === null && row.naiveUnranked !== null) return null;
  return row.naiveMedianNs / row.medianNs;
}
