import type { Metadata } from 'next';
import { Join } from '@/features/join/join';
import { services } from '@/server/services';
import { visitor } from '@/server/session/visitor';
import { PageHeader } from '@/ui/page';

export const metadata: Metadata = { title: 'Lend this browser’s GPU' };

/** Open on a private grid too: whoever has an invite need not have an account. */
export default async function JoinPage() {
  const { settings } = await services();
  const user = await visitor();
  return (
    <>
      <PageHeader title="Lend this browser’s GPU">
        This tab becomes a worker of the grid for as long as it is open: no program to install, no
        account. Browsers are ranked among browsers.
      </PageHeader>
      <Join
        version={settings.version}
        isPublic={settings.isPublic}
        mayInvite={user?.role === 'member' || user?.role === 'admin'}
      />
    </>
  );
}
