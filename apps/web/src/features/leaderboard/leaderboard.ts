import type { Leaderboard, LeaderboardQuery } from '@tilemark/core';
import type { Store } from '@tilemark/core/server';
import { parseShape } from '@tilemark/kernels';
import { isInputError } from '@/server/known-errors';
import type { ParsedQuery } from '@/ui/query';

/** The board a query string asks for; a shape that is none of the op's is put aside. */
export async function leaderboard(
  store: Store,
  { query, refused }: ParsedQuery<LeaderboardQuery>,
): Promise<ParsedQuery<LeaderboardQuery> & { board: Leaderboard }> {
  const wrong = query.shape === undefined ? null : shapeFault(query.op, query.shape);
  const { shape: _, ...rest } = query;
  const asked = wrong ? rest : query;
  return {
    board: await store.leaderboard(asked),
    query: asked,
    refused: wrong ? [...refused, wrong] : refused,
  };
}

function shapeFault(op: LeaderboardQuery['op'], shape: string): string | null {
  try {
    parseShape(op, shape);
    return null;
  } catch (error) {
    if (isInputError(error)) return `${error.message}.`;
    throw error;
  }
}
