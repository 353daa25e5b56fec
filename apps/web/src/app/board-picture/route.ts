import { notFound } from 'next/navigation';
import { boardCard } from '@/features/leaderboard/board-card';
import { boardQuerySchema } from '@/features/leaderboard/query';
import { card } from '@/features/results/card';
import { readable } from '@/server/session/visitor';

/** What a link to a board with a query shows elsewhere: the fastest of that board. */
export async function GET(request: Request): Promise<Response> {
  const { store } = await readable();
  const given = Object.fromEntries(new URL(request.url).searchParams);
  const { data: query } = boardQuerySchema.safeParse(given);
  if (!query) notFound();
  return card(await boardCard(store, query));
}
