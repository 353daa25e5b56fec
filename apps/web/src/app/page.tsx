import type { Store } from '@tilemark/core/server';
import type { Metadata } from 'next';
import { Filters, ViewLinks } from '@/features/leaderboard/filters';
import { apiHref, boardQuerySchema, boardTitle, type View } from '@/features/leaderboard/query';
import { loadView } from '@/features/leaderboard/view';
import { FirstScreen } from '@/features/overview/first-screen';
import { mappedDevices, winnerMapsOf } from '@/features/winners/winners';
import { etagOf } from '@/server/etag';
import { readable } from '@/server/session/visitor';
import { ButtonAnchor, ButtonLink } from '@/ui/button';
import { Live } from '@/ui/live';
import { Refused } from '@/ui/notice';
import { PageHeader } from '@/ui/page';
import { parseQuery, type SearchParams, searchObject } from '@/ui/query';

export async function generateMetadata({
  searchParams,
}: {
  searchParams: SearchParams;
}): Promise<Metadata> {
  const given = searchObject(await searchParams);
  const { data } = boardQuerySchema.safeParse(given);
  const title = data && Object.keys(given).length > 0 ? boardTitle(data) : null;
  return {
    title: { absolute: `${title ? `${title} · ` : ''}Leaderboard · Tilemark` },
    ...(title && {
      description: `${title}: which WGSL kernel is fastest on each device, and by how much.`,
    }),
  };
}

const SUBTITLES: Readonly<Record<View, string>> = {
  devices: 'Each device’s fastest verified variant of one problem.',
  portability: 'How close each variant comes to the best of every device, for one problem.',
};

export default async function LeaderboardPage({ searchParams }: { searchParams: SearchParams }) {
  const { settings, store } = await readable();
  const given = searchObject(await searchParams);
  const { query, refused } = parseQuery(boardQuerySchema, given);
  const { answer, board, content, hasOwn } = await loadView(store, query);
  const source = apiHref(query);
  // Whoever asks for something of the board has seen the first screen.
  const isFirst = Object.keys(given).every((name) => name === 'map');
  const first = isFirst ? await firstScreen(store, query.map) : null;

  return (
    <>
      <Refused reasons={refused} reset="/" />
      {first && <FirstScreen {...first} version={settings.version} />}
      <PageHeader
        title="Leaderboard"
        level={isFirst ? 2 : 1}
        id="board"
        actions={
          <>
            <Live source={source} etag={etagOf(answer)} />
            {hasOwn && (
              <ButtonAnchor href={`${source}&format=csv`} download>
                CSV
              </ButtonAnchor>
            )}
            <ButtonLink href="/sweeps/new" look="primary">
              New sweep
            </ButtonLink>
          </>
        }
      >
        {SUBTITLES[query.view]}
      </PageHeader>
      <ViewLinks query={query} />
      <Filters board={board} query={query} />
      <div className="mt-5">{content}</div>
    </>
  );
}

async function firstScreen(store: Store, key: string | undefined) {
  const devices = await mappedDevices(store);
  const device = devices.find((mapped) => mapped.key === key) ?? devices[0] ?? null;
  const maps = device ? await winnerMapsOf(store, device.key) : [];
  return { devices, device, maps };
}
