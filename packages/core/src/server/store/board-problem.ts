import type { PrismaClient } from '@tilemark/db';
import {
  type Dtype,
  type OpId,
  opOf,
  type Problem,
  parseShape,
  shapeText,
} from '@tilemark/kernels';
import type { Leaderboard, LeaderboardQuery } from '../../api';

/** The problem of a board, and the others that have results. */
export type BoardProblem = Omit<Leaderboard, 'rows'>;

/**
 * The problem that a query asks for: without a shape, the one that most devices have.
 *
 * @throws InputError at `shape` for text that is no shape of the op
 */
export async function boardProblem(
  db: PrismaClient,
  { op, dtype, profile, shape }: LeaderboardQuery,
): Promise<BoardProblem> {
  const asked = shape === undefined ? null : problemOf(op, dtype, shape);
  const groups = await db.best.groupBy({
    by: ['shape'],
    where: { op, dtype, profile },
    _count: true,
  });
  const problems = groups
    .map(({ shape, _count }) => ({ problem: problemOf(op, dtype, shape), devices: _count }))
    .sort((a, b) => b.devices - a.devices || work(b.problem) - work(a.problem));
  return { problem: asked ?? problems[0]?.problem ?? null, profile, problems };
}

/** Columns that name a problem under a profile. */
export const whereProblem = (problem: Problem, { profile }: Pick<LeaderboardQuery, 'profile'>) => ({
  op: problem.op,
  dtype: problem.dtype,
  profile,
  shape: shapeText(problem),
});

function problemOf(op: OpId, dtype: Dtype, shape: string): Problem {
  return { op, shape: parseShape(op, shape), dtype } as Problem;
}

const work = (problem: Problem): number => opOf(problem).flops(problem.shape);
