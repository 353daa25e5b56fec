import type { Metadata } from 'next';
import { FailedSweeps, QueuesTable } from '@/features/queues/queues-tables';
import { NoWorker } from '@/features/workers/no-worker';
import { WorkersTable } from '@/features/workers/workers-table';
import { listedWorkers } from '@/server/api/workers';
import { etagOf } from '@/server/etag';
import { isOwner } from '@/server/session/access';
import { readable, visitor } from '@/server/session/visitor';
import { ButtonLink } from '@/ui/button';
import { Live } from '@/ui/live';
import { PageHeader, Section } from '@/ui/page';

export const metadata: Metadata = { title: 'Workers' };

export default async function OperatePage() {
  const { store, settings } = await readable();
  const user = await visitor();
  const [workers, queues, failed] = await Promise.all([
    listedWorkers(store, user),
    store.workers.queues(),
    store.sweeps.failed(user),
  ]);
  return (
    <>
      <PageHeader
        title="Workers"
        actions={
          <>
            <Live source="/api/v1/workers" etag={etagOf({ items: workers, nextCursor: null })} />
            <ButtonLink href="/add">Attach a machine</ButtonLink>
          </>
        }
      >
        {workers.length === 0 && 'None is attached.'}
      </PageHeader>
      <NoWorker queues={queues} />
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
      {failed.length > 0 && (
        <Section id="failed" title="Failed runs" note="compile errors left out">
          <FailedSweeps
            sweeps={failed}
            mayRetry={(sweep) => user !== null && isOwner(user, sweep)}
          />
        </Section>
      )}
    </>
  );
}
