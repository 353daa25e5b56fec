import type { Metadata } from 'next';
import { Join } from '@/features/join/join';
import { services } from '@/server/services';
import { visitor } from '@/server/session/visitor';
import { PageHeader } from '@/ui/page';

export const metadata: Metadata = { title: 'Benchmark this browser' };

/** Open on a private grid too: whoever has an invite need not have an account. */
export default async function JoinPage() {
  const { settings } = await services();
  const user = await visitor();
  return (
    <>
      <PageHeader title="This browser’s GPU">
        {settings.isPublic ? 'Benchmark it in about a minute without an account, or lend' : 'Lend'}{' '}
        it to the grid for as long as this tab is open. There is nothing to install. Browsers are
        ranked among browsers only.
      </PageHeader>
      <Join
        version={settings.version}
        isPublic={settings.isPublic}
        mayInvite={user?.role === 'member' || user?.role === 'admin'}
      />
    </>
  );
}
