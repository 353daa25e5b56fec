import { Prisma, type PrismaClient } from '@tilemark/db';
import {
  type Dtype,
  isBatch,
  isKnownProblem,
  type OpId,
  opOf,
  type Problem,
  parseProblem,
  shapeText,
} from '@tilemark/kernels';
import { max } from 'd3-array';
import { DATA_LICENCE, type Leaderboard, type LeaderboardQuery } from '../../../api/api';
import type { Profile } from '../../../measure/device';
import { METHODOLOGY_VERSION } from '../../../measure/outcome';

/** How many devices have a problem, and have it ranked. */
export interface Counts {
  readonly devices: number;
  readonly gpus: number;
  readonly rankedDevices: number;
  readonly rankedGpus: number;
}

/** A problem with headlines, by the newest methodology that measured it: they are never mixed. */
export interface CountedProblem extends Counts {
  readonly methodology: number;
  readonly op: OpId;
  readonly dtype: Dtype;
  readonly shape: string;
  readonly profile: Profile;
  readonly problem: Problem;
}

/** The problems with headlines `v` of a condition, those of most devices first, then the largest. */
export async function countedProblems(
  db: PrismaClient,
  where: Prisma.Sql,
): Promise<CountedProblem[]> {
  const rows = await db.$queryRaw<Omit<CountedProblem, 'problem'>[]>`
    SELECT DISTINCT ON (1, 2, 3, 4) v."op", v."dtype", v."shape", v."profile"::text, v."methodology",
      count(DISTINCT v."deviceKey")::int AS "devices",
      (count(DISTINCT v."deviceKey") FILTER (WHERE device."class" = 'gpu'))::int AS "gpus",
      (count(DISTINCT v."deviceKey") FILTER (WHERE v."standing" = 0))::int AS "rankedDevices",
      (count(DISTINCT v."deviceKey")
        FILTER (WHERE device."class" = 'gpu' AND v."standing" = 0))::int AS "rankedGpus"
    FROM "VariantBest" AS v JOIN "Device" AS device ON device."key" = v."deviceKey"
    WHERE ${where} GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5 DESC`;
  return rows
    .filter(isKnownProblem)
    .map((row) => ({ ...row, problem: parseProblem(row) }))
    .sort((a, b) => b.devices - a.devices || flopsOf(b.problem) - flopsOf(a.problem));
}

const flopsOf = (problem: Problem): number => opOf(problem).flops(problem.shape);

/** The problems that devices have measured under a profile. */
export const problemsOn = (
  db: PrismaClient,
  { devices, profile }: { readonly devices: readonly string[]; readonly profile: Profile },
): Promise<CountedProblem[]> =>
  countedProblems(
    db,
    Prisma.sql`v."isBest" AND v."deviceKey" = ANY (${devices}::text[])
      AND v."profile" = ${profile}::"Profile"`,
  );

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
  const counted = await countedProblems(
    db,
    Prisma.sql`v."isBest" AND v."op" = ${op} AND v."dtype" = ${dtype}
      AND v."profile" = ${profile}::"Profile"`,
  );
  const newest = max(counted, (row) => row.methodology);
  const problem = asked ?? problemToOpen(counted.filter((row) => row.methodology === newest));
  const known = problem && counted.find((row) => row.shape === shapeText(problem));
  const methodology = known?.methodology ?? newest ?? METHODOLOGY_VERSION;
  const problems = counted.map(({ problem, devices, gpus }) => ({ problem, devices, gpus }));
  return { licence: DATA_LICENCE, problem, profile, methodology, problems };
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
    (a, b) => bytesOf(b.problem) - bytesOf(a.problem),
  );
  return largest?.problem ?? null;
}

const bytesOf = (problem: Problem): number => opOf(problem).bytes(problem.shape, problem.dtype);

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
