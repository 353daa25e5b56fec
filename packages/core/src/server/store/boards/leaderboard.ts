import type { Prisma, PrismaClient } from '@tilemark/db';
import { opOf, type Problem, parseProblem, shapeText, type Variant } from '@tilemark/kernels';
import type { DeviceClass } from '../../../measure/device';
import { METHODOLOGY_VERSION, type Measurement } from '../../../measure/outcome';
import type { RooflineSurvey } from '../../../measure/roofline';
import { ranks } from '../../../rank/rank';
import {
  DEVICE_GROUPS,
  type Leaderboard,
  type LeaderboardQuery,
  type LeaderboardRow,
} from '../../../view/api';
import { rowFigures } from '../../../view/leaderboard';
import { fromJson } from '../database';
import { roofOver } from '../roofs';
import { importedOf, rateOf } from '../run-view';

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
  readonly invocations: number;
  readonly unranked: string | null;
  readonly measuredAt: Date;
  readonly naiveMedianNs: number | null;
  readonly naiveUnranked: string | null;
  /** Without samples. */
  readonly measurement: Measurement;
  readonly importedBy: string | null;
  readonly confirmedBy: string | null;
  /** Of the device under the profile. */
  readonly roof: Prisma.JsonValue | null;
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
 * @throws InputError at `shape` for text that is not a shape of the op
 */
export async function leaderboardOf(
  db: PrismaClient,
  query: LeaderboardQuery,
): Promise<Leaderboard> {
  const board = await boardProblem(db, query);
  const { problem } = board;
  if (!problem) return { ...board, rows: [] };

  const rows = await bestRows(db, problem, { ...query, methodology: board.methodology });
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

/** The best result of each device on a problem. One statement: a busy grid's board is read again for every reader. */
function bestRows(
  db: PrismaClient,
  problem: Problem,
  { methodology, profile }: Pick<BoardProblem, 'methodology' | 'profile'>,
): Promise<BestRow[]> {
  const { op, dtype } = problem;
  return db.$queryRaw<BestRow[]>`
    WITH best AS (
      SELECT * FROM "Best"
      WHERE "op" = ${op} AND "dtype" = ${dtype}
        AND "profile" = ${profile}::"Profile" AND "shape" = ${shapeText(problem)}
        AND "methodology" = ${methodology}::int),
    hosts AS (
      SELECT "deviceKey", count(DISTINCT "host")::int AS "machines" FROM "Worker"
      WHERE "deviceKey" IN (SELECT "deviceKey" FROM best)
      GROUP BY "deviceKey")
    SELECT best."deviceKey", device."name", device."class"::text,
      coalesce(hosts."machines", 0) AS "machines",
      best."resultId", best."medianNs", best."lowNs", best."highNs", best."unranked",
      best."invocations", best."measuredAt", best."naiveMedianNs", best."naiveUnranked",
      result."outcome" -> 'measurement' AS "measurement",
      result."importedBy", result."confirmedBy", result."recordedAt", roof."content" AS "roof",
      run."address", run."kernel", run."tunables"
    FROM best
    JOIN "Device" AS device ON device."key" = best."deviceKey"
    JOIN "Result" AS result ON result."id" = best."resultId"
    JOIN "Run" AS run ON run."id" = result."runId"
    LEFT JOIN hosts ON hosts."deviceKey" = best."deviceKey"
    LEFT JOIN "Roof" AS roof
      ON roof."deviceKey" = best."deviceKey" AND roof."profile" = best."profile"`;
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

function boardRow(row: BestRow, problem: Problem): LeaderboardRow {
  const variant = { kernel: row.kernel, tunables: fromJson<Variant['tunables']>(row.tunables) };
  const survey = row.roof === null ? undefined : fromJson<RooflineSurvey>(row.roof);
  return {
    rank: null,
    device: { key: row.deviceKey, name: row.name, class: row.class },
    resultId: row.resultId,
    address: row.address,
    variant,
    medianNs: row.medianNs,
    lowNs: row.lowNs,
    highNs: row.highNs,
    invocations: row.invocations,
    rate: rateOf(problem, row.medianNs),
    speedupOverNaive: speedupOverNaive(row),
    roof: roofOver(row.measurement, { variant, problem }, survey) ?? null,
    ...rowFigures(row.measurement, problem),
    unranked: row.unranked,
    confirmation: row.unranked !== null ? null : row.confirmedBy ? 'confirmed' : 'unconfirmed',
    measuredAt: row.measuredAt.toISOString(),
    imported: importedOf(row),
    machines: row.machines,
  };
}

/** A result that counts is compared with one that counts too, or not at all. */
function speedupOverNaive(row: BestRow): number | null {
  if (row.naiveMedianNs === null) return null;
  if (row.unranked === null && row.naiveUnranked !== null) return null;
  return row.naiveMedianNs / row.medianNs;
}

/** The problem of a board, and the others that have results. */
export type BoardProblem = Omit<Leaderboard, 'rows'>;

/**
 * The problem that a query asks for: without a shape, the one that tells most (`telling`).
 *
 * @throws InputError at `shape` for text that is not a shape of the op
 */
export async function boardProblem(
  db: PrismaClient,
  { op, dtype, methodology: version, profile, shape }: LeaderboardQuery,
): Promise<BoardProblem> {
  const asked = shape === undefined ? null : parseProblem({ op, shape, dtype });
  const groups = await db.$queryRaw<
    { shape: string; methodology: number; devices: number; gpus: number }[]
  >`
    SELECT best."shape", best."methodology", count(*)::int AS "devices",
      (count(*) FILTER (WHERE device."class" = 'gpu'))::int AS "gpus"
    FROM "Best" AS best JOIN "Device" AS device ON device."key" = best."deviceKey"
    WHERE best."op" = ${op} AND best."dtype" = ${dtype}
      AND best."profile" = ${profile}::"Profile"
    GROUP BY best."shape", best."methodology"`;
  const methodologies = [...new Set(groups.map((of) => of.methodology))].sort((a, b) => b - a);
  const own = groups.filter((of) => !asked || of.shape === shapeText(asked));
  const newest = Math.max(...(own.length > 0 ? own : groups).map((of) => of.methodology));
  const methodology = version ?? (groups.length > 0 ? newest : METHODOLOGY_VERSION);
  const problems = groups
    .filter((of) => of.methodology === methodology)
    .map(({ shape, devices, gpus }) => ({
      problem: parseProblem({ op, shape, dtype }),
      devices,
      gpus,
    }))
    .sort((a, b) => b.devices - a.devices || work(b.problem) - work(a.problem));
  const problem = asked ?? telling(problems);
  return { problem, profile, methodology, methodologies, problems };
}

/**
 * The problem to open on: the largest square that most GPUs have, where there are any: small ones
 * measure launches. Otherwise the same of all devices, and without squares the largest problem.
 */
function telling(problems: BoardProblem['problems']): Problem | null {
  const hasGpus = problems.some(({ gpus }) => gpus > 0);
  const countOf = (of: BoardProblem['problems'][number]) => (hasGpus ? of.gpus : of.devices);
  const most = Math.max(...problems.map(countOf));
  const common = problems.filter((of) => 2 * countOf(of) > most);
  const isSquare = ({ problem }: (typeof common)[number]) =>
    new Set(opOf(problem).sizes(problem.shape)).size === 1;
  const [largest = null] = (common.some(isSquare) ? common.filter(isSquare) : common).toSorted(
    (a, b) => size(b.problem) - size(a.problem),
  );
  return largest?.problem ?? null;
}

const size = (problem: Problem): number => opOf(problem).bytes(problem.shape, problem.dtype);

/** Columns that name a problem under a profile. */
export const whereProblem = (
  problem: Problem,
  { methodology, profile }: Pick<BoardProblem, 'methodology' | 'profile'>,
) => ({
  op: problem.op,
  methodology,
  dtype: problem.dtype,
  profile,
  shape: shapeText(problem),
});

const work = (problem: Problem): number => opOf(problem).flops(problem.shape);
