import type { Prisma, PrismaClient } from '@tilemark/db';
import {
  type Dtype,
  type OpId,
  opOf,
  type Problem,
  parseShape,
  shapeText,
} from '@tilemark/kernels';
import type { Leaderboard, LeaderboardQuery, LeaderboardRow } from '../../api';
import type { DeviceClass } from '../../device';
import type { Measurement, Outcome } from '../../outcome';
import { ranks } from '../../rank';
import { fromJson } from './json';
import { deviceRef, importedOf, rateOf } from './run-view';

/** Classes are ranked apart and come in this order. */
const CLASSES: readonly DeviceClass[] = ['gpu', 'browser', 'software', 'cpu'];

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
  const { op, dtype, profile } = query;
  const asked = query.shape === undefined ? null : problemOf(op, dtype, query.shape);
  const groups = await db.best.groupBy({
    by: ['shape'],
    where: { op, dtype, profile },
    _count: true,
  });
  const problems = groups
    .map(({ shape, _count }) => ({ problem: problemOf(op, dtype, shape), devices: _count }))
    .sort((a, b) => b.devices - a.devices || work(b.problem) - work(a.problem));
  const problem = asked ?? problems[0]?.problem ?? null;
  if (!problem) return { problem, profile, problems, rows: [] };

  const rows = await db.best.findMany({
    where: { op, dtype, profile, shape: shapeText(problem) },
    include: BOARD_ROW,
  });
  return {
    problem,
    profile,
    problems,
    rows: CLASSES.flatMap((kind) =>
      rankedRows(
        rows.filter((row) => row.device.class === kind),
        problem,
      ),
    ),
  };
}

function problemOf(op: OpId, dtype: Dtype, shape: string): Problem {
  return { op, shape: parseShape(op, shape), dtype } as Problem;
}

const work = (problem: Problem): number => opOf(problem).flops(problem.shape);

function rankedRows(rows: readonly BestRow[], problem: Problem): LeaderboardRow[] {
  const byTime = rows.toSorted((a, b) => a.medianNs - b.medianNs);
  const ranked = byTime.filter((row) => row.unranked === null);
  const unranked = byTime.filter((row) => row.unranked !== null);
  const places = ranks(ranked);
  return [
    ...ranked.map((row, index) => boardRow(row, problem, places[index] ?? null)),
    ...unranked.map((row) => boardRow(row, problem, null)),
  ];
}

function boardRow(row: BestRow, problem: Problem, rank: number | null): LeaderboardRow {
  const { run } = row.result;
  return {
    rank,
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
