import { leaderboardQuerySchema } from '@tilemark/core';
import type { Store } from '@tilemark/core/server';
import { opById, shapeText } from '@tilemark/kernels';
import type { Metadata } from 'next';
import { Board } from '@/features/leaderboard/board';
import { Filters } from '@/features/leaderboard/filters';
import { leaderboard } from '@/features/leaderboard/leaderboard';
import { NoResults } from '@/features/leaderboard/no-results';
import { etagOf } from '@/server/etag';
import { readable } from '@/server/visitor';
import { ButtonLink } from '@/ui/button';
import { Live } from '@/ui/live';
import { PageHeader } from '@/ui/page';
import { parseQuery, type SearchParams } from '@/ui/query';
import { Refused } from '@/ui/refused';

export const metadata: Metadata = { title: 'Leaderboard' };

export default async function LeaderboardPage({ searchParams }: { searchParams: SearchParams }) {
  const { store } = await readable();
  const parsed = parseQuery(leaderboardQuerySchema, await searchParams);
  const { board, query, refused } = await leaderboard(store, parsed);
  const source = new URLSearchParams(
    Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );

  return (
    <>
      <PageHeader
        title="Leaderboard"
        actions={
          <>
            <Live source={`/api/v1/leaderboard?${source}`} etag={etagOf(board)} />
            <ButtonLink href="/sweeps/new" look="primary">
              New sweep
            </ButtonLink>
          </>
        }
      >
        The fastest verified variant of each device on one problem. Devices share a rank where the
        95 % intervals of their medians overlap.
      </PageHeader>
      <Refused reasons={refused} reset="/" />
      <Filters board={board} query={query} />
      <div className="mt-5">
        {board.rows.length > 0 && board.problem ? (
          <Board
            rows={board.rows}
            caption={`Leaderboard: ${opById(query.op).title}, ${shapeText(board.problem)}, ${query.dtype}, profile ${query.profile}`}
          />
        ) : (
          <NoResults hasAny={await hasResults(store)} query={query} />
        )}
      </div>
    </>
  );
}

/** Whether anything was measured at all, on whatever problem. */
async function hasResults(store: Store): Promise<boolean> {
  const { items } = await store.devices.list();
  return items.some((device) => device.results > 0);
}
