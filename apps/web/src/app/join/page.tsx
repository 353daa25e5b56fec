import type { Store } from '@tilemark/core/server';
import type { Metadata } from 'next';
import { Join } from '@/features/join/join';
import { services } from '@/server/services';
import { visitor } from '@/server/session/visitor';
import { PageHeader } from '@/ui/page';

export const metadata: Metadata = { title: 'Benchmark this browser' };

/** Open on a private grid too: whoever has an invite need not have an account. */
export default async function JoinPage() {
  const { settings, store } = await services();
  const user = await visitor();
  return (
    <>
      <PageHeader title="This browser’s GPU">
        {settings.isPublic ? 'Benchmark it in about a minute without an account, or lend' : 'Lend'}{' '}
        it to the grid for as long as this tab is open. There is nothing to install. Browsers are
        ranked among the same browsers only. Nobody has tried Safari with it.
      </PageHeader>
      <Join
        version={settings.version}
        cards={settings.isPublic || user ? await cardsOf(store) : []}
        isPublic={settings.isPublic}
        mayInvite={user?.role === 'member' || user?.role === 'admin'}
      />
    </>
  );
}

/** The names of graphics cards, for browsers that keep theirs to themselves. */
const cardsOf = async (store: Store) => {
  const { items } = await store.devices.list();
  return [...new Set(items.filter((device) => device.class !== 'cpu').map(({ name }) => name))];
};
