import type { PrismaClient } from '@tilemark/db';
import { kernelParts, type Problem, rateOf, type Variant } from '@tilemark/kernels';
import { group } from 'd3-array';
import { DEVICE_GROUPS, type Leaderboard, type LeaderboardQuery } from '../../../api/api';
import { rowFigures } from '../../../api/leaderboard';
import { driverText, type Environment, runtimePlace } from '../../../measure/device';
import type { MeasuredOutcome } from '../../../measure/outcome';
import type { PolicyId } from '../../../measure/policy';
import { ranks } from '../../../rank/rank';
import { hasInterval } from '../../../statistics/interval-name';
import { isUsual } from '../columns';
import { fromJson } from '../database';
import { shownRoof } from '../run-view';
import { type Headline, headlines } from './headlines';
import { boardProblem, whereProblem } from './problems';

/**
 * The board of one problem: a row per device, in groups by class and runtime; within a group
 * the ranked ones by time, then the unranked ones. Contributed kernels, if asked for, have rows of
 * their own.
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
  const [all, machines] = await Promise.all([headlines(db, where), agreeing(db, where)]);
  const onDevices = [...group(all, ({ deviceKey }) => deviceKey).values()];
  const ours = onDevices.flatMap((times) => times.find(({ isBest }) => isBest) ?? []);
  const contributed = query.contributed
    ? onDevices.flatMap((times) => times.find((time) => time.contributed) ?? [])
    : [];
  const details = await detailsOf(db, [...ours, ...contributed]);
  const rows = (best: readonly Headline[]) =>
    alike(best)
      .flatMap(ranked)
      .map(({ rank, row }) => {
        const times = all.filter(({ deviceKey }) => deviceKey === row.deviceKey);
        return {
          ...boardRow(row, problem, details),
          rank,
          machines: machines.get(row.deviceKey) ?? 0,
          speedupOverNaive: speedupOverNaive(row, times),
        };
      });
  return { ...board, rows: [...rows(ours), ...rows(contributed)] };
}

/** By class, and by runtime within it: a rank is among the same. */
const alike = (rows: readonly Headline[]) =>
  DEVICE_GROUPS.flatMap((kind) => {
    const ofClass = rows.filter(({ device }) => device.class === kind);
    return [...group(ofClass, ({ device }) => device.runtime).entries()]
      .toSorted(([a], [b]) => runtimePlace(a) - runtimePlace(b))
      .map(([, sameRuntime]) => sameRuntime);
  });

/** The time of a variant, as views name it beside another. */
export const timeOf = ({ address, medianNs, placedNs, resultId }: Headline) => ({
  address,
  medianNs,
  placedNs,
  resultId,
});

/** Two medians agree within this part of the greater. */
const AGREES_WITHIN = 0.02;

/** The machines whose ranked median of the best variant agrees with the headline, by device. */
async function agreeing(
  db: PrismaClient,
  { dtype, methodology, op, profile, shape }: ReturnType<typeof whereProblem>,
): Promise<ReadonlyMap<string, number>> {
  const rows = await db.$queryRaw<{ deviceKey: string; machines: number }[]>`
    SELECT b."deviceKey", count(DISTINCT (w."host", w."name", w."tokenId"))::int AS "machines"
    FROM "VariantBest" AS b JOIN "Run" AS run ON run."deviceKey" = b."deviceKey"
      AND run."address" = b."address" AND run."shape" = b."shape" AND run."op" = b."op"
      AND run."dtype" = b."dtype" AND run."profile" = b."profile" AND ${isUsual('run')}
    JOIN "Result" AS result ON result."runId" = run."id" AND result."unranked" IS NULL
      AND result."medianNs" BETWEEN b."medianNs" * ${1 - AGREES_WITHIN}::float8
        AND b."medianNs" / ${1 - AGREES_WITHIN}::float8
    JOIN "Worker" AS w ON w."id" = result."workerId"
    WHERE b."isBest" AND b."op" = ${op} AND b."dtype" = ${dtype} AND b."shape" = ${shape}
      AND b."profile" = ${profile}::"Profile" AND b."methodology" = ${methodology}::int
    GROUP BY b."deviceKey"`;
  return new Map(rows.map(({ deviceKey, machines }) => [deviceKey, machines]));
}

/** The details of results and devices beside their headlines, by result. */
async function detailsOf(db: PrismaClient, rows: readonly Headline[]) {
  const results = await db.result.findMany({
    where: { id: { in: rows.map(({ resultId }) => resultId) } },
    select: {
      id: true,
      outcome: true,
      endedAt: true,
      environment: { select: { content: true } },
      run: {
        select: { tunables: true, policy: true, device: { select: { class: true, roofs: true } } },
      },
    },
  });
  return new Map(results.map((result) => [result.id, result]));
}

/** By time, the ranked ones before the others. */
function ranked(rows: readonly Headline[]) {
  const byTime = rows.toSorted((a, b) => a.placedNs - b.placedNs);
  const counting = byTime.filter(({ unranked }) => unranked === null);
  const places = ranks(counting);
  return [
    ...counting.map((row, index) => ({ row, rank: places[index] ?? null })),
    ...byTime.filter(({ unranked }) => unranked !== null).map((row) => ({ row, rank: null })),
  ];
}

function boardRow(row: Headline, problem: Problem, details: Awaited<ReturnType<typeof detailsOf>>) {
  const { address, contributed, device, imported, invocations, kernel, medianNs, resultId } = row;
  const result = details.get(resultId);
  if (!result) throw new Error(`Result ${resultId} was deleted while the board was read.`);
  const { policy, tunables, device: roofed } = result.run;
  const variant = { kernel, tunables: fromJson<Variant['tunables']>(tunables) };
  const { measurement } = fromJson<MeasuredOutcome>(result.outcome);
  const run = { variant, problem, policy: policy as PolicyId, profile: row.profile };
  return {
    device,
    address,
    variant,
    medianNs,
    unranked: row.unranked,
    ...(contributed && { author: kernelParts(kernel).owner }),
    resultId,
    lowNs: row.lowNs,
    highNs: row.highNs,
    invocations,
    rate: rateOf(problem, medianNs),
    roof: shownRoof(measurement, run, roofed),
    ...rowFigures(measurement, problem),
    isRange: invocations === 1 && !hasInterval(measurement.cold),
    driver: driverText(fromJson<Environment>(result.environment.content).driver),
    measuredAt: result.endedAt.toISOString(),
    imported,
  };
}

/**
 * Over the floor of the ladder, on the GPU or the host. A result that counts is compared with one that
 * counts too, or not at all.
 */
function speedupOverNaive(row: Headline, times: readonly Headline[]): number | null {
  const floors = [`${row.op}/naive`, `${row.op}/cpu-naive`];
  const naive = times.find(({ kernel }) => floors.includes(kernel));
  if (!naive || (row.unranked === null && naive.unranked !== null)) return null;
  return naive.medianNs / row.medianNs;
}
