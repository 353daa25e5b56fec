import { Prisma, type PrismaClient } from '@tilemark/db';
import {
  isBatch,
  opOf,
  type Problem,
  parseProblem,
  rateOf,
  shapeText,
  type Variant,
} from '@tilemark/kernels';
import { greatest, group, max, rollup } from 'd3-array';
import { isContributed } from '../../../contributed/known';
import { METHODOLOGY_VERSION, type Outcome } from '../../../measure/outcome';
import { shorterMedian } from '../../../rank/head-to-head';
import { type Interval, provenNs } from '../../../rank/headline';
import { ranks } from '../../../rank/rank';
import {
  DEVICE_GROUPS,
  type Leaderboard,
  type LeaderboardQuery,
  type LeaderboardRow,
} from '../../../view/api';
import { rowFigures } from '../../../view/leaderboard';
import { shownRoof } from '../../gate/belief';
import type { VariantBest } from '../columns';
import { fromJson } from '../database';
import { deviceRef, importedOf } from '../run-view';

const BOARD_ROW = {
  device: { include: { roofs: true } },
  result: {
    include: { run: { select: { tunables: true } } },
    omit: { coldSamplesNs: true, hotSamplesNs: true },
  },
} satisfies Prisma.VariantBestInclude;

type HeadlineRow = Prisma.VariantBestGetPayload<{ include: typeof BOARD_ROW }>;

/** The best variant of a device; `machines`: the hosts whose workers have handed in results. */
type BestRow = HeadlineRow & {
  readonly naive: VariantBest | undefined;
  readonly machines: number;
  readonly shorterMedian: LeaderboardRow['shorterMedian'];
};

/**
 * The board of one problem: a row per device, in groups by class; within a class
 * the ranked ones by time, then the unranked ones. Contributed kernels, if asked for, have rows of
 * their own. Reads `VariantBest` only, whose size does not follow history.
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

  const where = whereProblem(problem, board);
  const rows = await bestRows(db, where);
  const contributed = query.contributed ? await contributedRows(db, where, rows) : [];
  const ranked = (best: readonly BestRow[]) =>
    DEVICE_GROUPS.flatMap((kind) =>
      rankedRows(
        best.filter(({ device }) => device.class === kind),
        problem,
      ),
    );
  return {
    ...board,
    rows:
      query.contributed === 'together'
        ? ranked([...rows, ...contributed])
        : [...ranked(rows), ...ranked(contributed)],
  };
}

/** The best contributed variant of each device, in the form of ours, whose naive it is held against. */
async function contributedRows(
  db: PrismaClient,
  where: ReturnType<typeof whereProblem>,
  ours: readonly BestRow[],
): Promise<BestRow[]> {
  const rows = await db.variantBest.findMany({
    where: { ...where, kernel: { contains: '@' } },
    include: BOARD_ROW,
    // Near `provenNs`, by which a query of Prisma's cannot order.
    orderBy: [{ standing: 'asc' }, { highNs: 'asc' }],
    distinct: ['deviceKey'],
  });
  return rows.map((row) => {
    const best = ours.find(({ deviceKey }) => deviceKey === row.deviceKey);
    return { ...row, naive: best?.naive, machines: best?.machines ?? 0, shorterMedian: null };
  });
}

async function bestRows(
  db: PrismaClient,
  where: ReturnType<typeof whereProblem>,
): Promise<BestRow[]> {
  const { dtype, methodology, op, profile, shape } = where;
  const isBest = { ...where, isBest: true };
  const [rows, naive, shorter, hosts] = await Promise.all([
    db.variantBest.findMany({ where: isBest, include: BOARD_ROW }),
    naiveOf(db, where),
    shorterMedians(
      db,
      Prisma.sql`b."op" = ${op} AND b."dtype" = ${dtype} AND b."shape" = ${shape}
        AND b."profile" = ${profile}::"Profile" AND b."methodology" = ${methodology}::int`,
    ),
    db.worker.groupBy({
      by: ['deviceKey', 'host'],
      where: { device: { variantBests: { some: isBest } } },
    }),
  ]);
  const machines = rollup(
    hosts,
    (workers) => workers.length,
    ({ deviceKey }) => deviceKey,
  );
  return rows.map((row) => ({
    ...row,
    naive: naive.find(({ deviceKey }) => deviceKey === row.deviceKey),
    machines: machines.get(row.deviceKey) ?? 0,
    shorterMedian: shorterMedianOf(row, shorter),
  }));
}

/** The floors of ladders, on the GPU or the host, where they have headlines: the one to prefer first. */
const naiveOf = (db: PrismaClient, where: Prisma.VariantBestWhereInput & { op: string }) =>
  db.variantBest.findMany({
    where: { ...where, kernel: { in: [`${where.op}/naive`, `${where.op}/cpu-naive`] } },
    // Near `provenNs`, by which a query of Prisma's cannot order.
    orderBy: [{ standing: 'asc' }, { highNs: 'asc' }],
  });

/**
 * Variants with a shorter median than their device's best that are ranked if it is, and not ranked
 * otherwise: few, as the database leaves out the others.
 *
 * @param bests which of the bests, as a condition on `b`
 */
export const shorterMedians = (db: PrismaClient, bests: Prisma.Sql) =>
  db.$queryRaw<(Interval & { bestId: string; address: string; resultId: string })[]>`
    SELECT b."resultId" AS "bestId", v.*
    FROM "VariantBest" AS b CROSS JOIN LATERAL (
      SELECT v."address", v."resultId", v."medianNs", v."lowNs", v."highNs"
      FROM "VariantBest" AS v
      WHERE v."deviceKey" = b."deviceKey" AND v."op" = b."op" AND v."dtype" = b."dtype"
        AND v."shape" = b."shape" AND v."profile" = b."profile"
        AND v."methodology" = b."methodology" AND v."medianNs" < b."medianNs"
        AND (v."unranked" IS NULL) = (b."unranked" IS NULL) AND strpos(v."kernel", '@') = 0
      -- By the bests, which are few, and not by the variants.
      OFFSET 0) AS v
    WHERE b."isBest" AND ${bests}`;

/** Of `shorterMedians`, the one to name beside the best of a device; null: none. */
export function shorterMedianOf(
  row: Interval & { readonly resultId: string },
  shorter: Awaited<ReturnType<typeof shorterMedians>>,
): LeaderboardRow['shorterMedian'] {
  const shorterHere = shorter
    .filter(({ bestId }) => bestId === row.resultId)
    .map(({ address, resultId, ...time }) => ({
      address,
      resultId,
      medianNs: time.medianNs,
      provenNs: provenNs(time),
    }));
  return shorterMedian({ medianNs: row.medianNs, provenNs: provenNs(row) }, shorterHere);
}

function rankedRows(rows: readonly BestRow[], problem: Problem): LeaderboardRow[] {
  const byTime = rows.toSorted((a, b) => provenNs(a) - provenNs(b));
  const ranked = byTime.filter((row) => row.unranked === null);
  const unranked = byTime.filter((row) => row.unranked !== null);
  const places = ranks(ranked);
  return [
    ...ranked.map((row, index) => ({ ...boardRow(row, problem), rank: places[index] ?? null })),
    ...unranked.map((row) => boardRow(row, problem)),
  ];
}

function boardRow(row: BestRow, problem: Problem): LeaderboardRow {
  const { address, device, kernel, medianNs, result, unranked } = row;
  const variant = { kernel, tunables: fromJson<Variant['tunables']>(result.run.tunables) };
  const { measurement } = fromJson<Extract<Outcome, { kind: 'measured' }>>(result.outcome);
  return {
    rank: null,
    device: deviceRef(device),
    address,
    variant,
    medianNs,
    unranked,
    ...(isContributed(kernel) && { author: kernel.slice(0, kernel.indexOf('/')) }),
    resultId: row.resultId,
    lowNs: row.lowNs,
    highNs: row.highNs,
    shorterMedian: row.shorterMedian,
    invocations: row.invocations,
    rate: rateOf(problem, medianNs),
    speedupOverNaive: speedupOverNaive(row, row.naive),
    roof: shownRoof(measurement, { variant, problem, profile: row.profile }, device, result.party),
    ...rowFigures(measurement, problem),
    confirmation: unranked !== null ? null : result.confirmedBy ? 'confirmed' : 'unconfirmed',
    measuredAt: result.endedAt.toISOString(),
    imported: importedOf(result),
    machines: row.machines,
  };
}

/** A result that counts is compared with one that counts too, or not at all. */
function speedupOverNaive(
  row: Pick<HeadlineRow, 'medianNs' | 'unranked'>,
  naive: VariantBest | undefined,
): number | null {
  if (!naive || (row.unranked === null && naive.unranked !== null)) return null;
  return naive.medianNs / row.medianNs;
}

/** The problem of a board, and the others that have results. */
export type BoardProblem = Omit<Leaderboard, 'rows'>;

/**
 * The problem that a query asks for: without a shape, the one that tells most (`problemToOpen`).
 *
 * @throws InputError at `shape` for text that is not a shape of the op
 */
export async function boardProblem(
  db: PrismaClient,
  { op, dtype, profile, shape }: LeaderboardQuery,
): Promise<BoardProblem> {
  const asked = shape === undefined ? null : parseProblem({ op, shape, dtype });
  const groups = await db.$queryRaw<(Counts & { shape: string; methodology: number })[]>`
    SELECT best."shape", best."methodology", count(*)::int AS "devices",
      (count(*) FILTER (WHERE device."class" = 'gpu'))::int AS "gpus",
      (count(*) FILTER (WHERE best."unranked" IS NULL))::int AS "rankedDevices",
      (count(*) FILTER (WHERE device."class" = 'gpu' AND best."unranked" IS NULL))::int
        AS "rankedGpus"
    FROM "VariantBest" AS best JOIN "Device" AS device ON device."key" = best."deviceKey"
    WHERE best."isBest" AND best."op" = ${op} AND best."dtype" = ${dtype}
      AND best."profile" = ${profile}::"Profile"
    GROUP BY best."shape", best."methodology"`;
  // Methodologies are never mixed: a problem has the newest that measured it.
  const counted = [...group(groups, (row) => row.shape).values()]
    .flatMap((rows) => greatest(rows, (row) => row.methodology) ?? [])
    .map((row) => ({ ...row, problem: parseProblem({ op, shape: row.shape, dtype }) }))
    .sort((a, b) => b.devices - a.devices || work(b.problem) - work(a.problem));
  const newest = max(counted, (row) => row.methodology);
  const problem = asked ?? problemToOpen(counted.filter((row) => row.methodology === newest));
  const known = problem && counted.find((row) => row.shape === shapeText(problem));
  const methodology = known?.methodology ?? newest ?? METHODOLOGY_VERSION;
  const problems = counted.map(({ problem, devices, gpus }) => ({ problem, devices, gpus }));
  return { problem, profile, methodology, problems };
}

/** How many devices have a problem, and have it ranked. */
export interface Counts {
  readonly devices: number;
  readonly gpus: number;
  readonly rankedDevices: number;
  readonly rankedGpus: number;
}

/**
 * The problem to open on: the largest square that most GPUs have ranked, where there are any: small
 * ones measure launches. Otherwise the same of all devices, and without squares the largest problem.
 * What nobody has ranked counts only where nothing is.
 */
export function problemToOpen(
  problems: readonly (Counts & { readonly problem: Problem })[],
): Problem | null {
  const hasGpus = problems.some(({ gpus }) => gpus > 0);
  const rankedOf = (counts: Counts) => (hasGpus ? counts.rankedGpus : counts.rankedDevices);
  const allOf = (counts: Counts) => (hasGpus ? counts.gpus : counts.devices);
  const countOf = problems.some((counts) => rankedOf(counts) > 0) ? rankedOf : allOf;
  const most = Math.max(...problems.map(countOf));
  const common = problems.filter((counts) => 2 * countOf(counts) > most);
  const isSquare = ({ problem }: (typeof common)[number]) =>
    !isBatch(problem) && new Set(opOf(problem).sides(problem.shape)).size === 1;
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
