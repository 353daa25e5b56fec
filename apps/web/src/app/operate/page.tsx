import type { Metadata } from 'next';
import { QueuesTable } from '@/features/queues/queues-table';
import { WorkersTable } from '@/features/workers/workers-table';
import { etagOf } from '@/server/etag';
import { shownTo } from '@/server/session/access';
import { readable, visitor } from '@/server/session/visitor';
import { ButtonLink } from '@/ui/button';
import { Live } from '@/ui/live';
import { PageHeader, Section } from '@/ui/page';

export const metadata: Metadata = { title: 'Workers' };

export default async function OperatePage() {
  const { store, settings } = await readable();
  const user = await visitor();
  const [attached, queues] = await Promise.all([store.workers.list(), store.workers.queues()]);
  const workers = shownTo(user, attached);
  return (
    <>
      <PageHeader
        title="Workers"
        actions={
          <>
            <Live source="/api/v1/workers" etag={etagOf({ items: workers, nextCursor: null })} />
            <ButtonLink href="/sweeps?state=failed">Failed runs</ButtonLink>
            <ButtonLink href="/add">Attach a machine</ButtonLink>
          </>
        }
      >
        {workers.length === 0 && 'None is attached.'}
      </PageHeader>
      {workers.length > 0 && (
        <WorkersTable
          workers={workers}
          gridVersion={settings.version}
          isAdmin={user?.role === 'admin'}
        />
      )}
      {queues.length > 0 && (
        <Section id="queues" title="Queues" note="one per device; standard suites run last">
          <QueuesTable queues={queues} workers={workers} />
        </Section>
      )}
    </>
  );
}
