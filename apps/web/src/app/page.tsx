import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { Filters } from '@/features/leaderboard/filters';
import { apiHref, boardQuerySchema } from '@/features/leaderboard/query';
import { loadView } from '@/features/leaderboard/view';
import { ViewLinks } from '@/features/leaderboard/view-links';
import { etagOf } from '@/server/etag';
import { readable } from '@/server/visitor';
import { ButtonAnchor, ButtonLink } from '@/ui/button';
import { Live } from '@/ui/live';
import { PageHeader } from '@/ui/page';
import type { SearchParams } from '@/ui/query';
import { searchObject } from '@/ui/search';

export const metadata: Metadata = { title: 'Leaderboard' };

export default async function LeaderboardPage({ searchParams }: { searchParams: SearchParams }) {
  const { store } = await readable();
  const parsed = boardQuerySchema.safeParse(searchObject(await searchParams));
  // The proxy has answered 400 to what the schema refuses.
  if (!parsed.success) notFound();
  const query = parsed.data;
  const { answer, board, content, groups } = await loadView(store, query);
  const source = apiHref(query);

  return (
    <>
      <PageHeader
        title="Leaderboard"
        actions={
          <>
            <Live source={source} etag={etagOf(answer)} />
            <ButtonAnchor href={`${source}&format=csv`} download>
              CSV
            </ButtonAnchor>
            <ButtonLink href="/sweeps/new" look="primary">
              New sweep
            </ButtonLink>
          </>
        }
      >
        The fastest verified variant of each device on one problem. Devices share a rank where the
        95 % intervals of their medians overlap.
      </PageHeader>
      <ViewLinks query={query} />
      <Filters board={board} query={query} groups={groups} />
      <div className="mt-5">{content}</div>
    </>
  );
}
