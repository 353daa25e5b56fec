import type { Metadata } from 'next';
import { headers } from 'next/headers';
import { Attach } from '@/features/workers/attach';
import { ImportResults } from '@/features/workers/import-results';
import { Invites } from '@/features/workers/invites';
import { NoWorker } from '@/features/workers/no-worker';
import { WorkersTable } from '@/features/workers/workers-table';
import { listedWorkers } from '@/server/api/workers';
import { etagOf } from '@/server/etag';
import { originOf } from '@/server/session/origin';
import { readable, visitor } from '@/server/session/visitor';
import { ButtonLink } from '@/ui/button';
import { Live } from '@/ui/live';
import { Empty } from '@/ui/notice';
import { PageHeader, Section } from '@/ui/page';

export const metadata: Metadata = { title: 'Workers' };

export default async function WorkersPage() {
  const { store, settings } = await readable();
  const user = await visitor();
  const [items, queues] = await Promise.all([listedWorkers(store, user), store.workers.queues()]);
  const isAdmin = user?.role === 'admin';
  const maySubmit = isAdmin || user?.role === 'member';
  const invites = maySubmit ? await store.invites.list(isAdmin ? undefined : user?.tokenId) : [];
  const origin = originOf(await headers());

  return (
    <>
      <PageHeader
        title="Workers"
        actions={
          <>
            <Live source="/api/v1/workers" etag={etagOf({ items, nextCursor: null })} />
            <ButtonLink href="/queues">Queues</ButtonLink>
          </>
        }
      >
        Each worker serves one device and runs one benchmark at a time.
        {isAdmin && (
          <>
            {' '}
            <em>Drain</em> lets it finish its run; <em>Pause</em> returns the run to the queue.
            Either way it takes no more until you resume it.
          </>
        )}
      </PageHeader>
      <NoWorker queues={queues} />
      {items.length > 0 ? (
        <WorkersTable
          workers={items}
          queues={queues}
          gridVersion={settings.version}
          isAdmin={isAdmin}
        />
      ) : (
        <Empty title="No worker is attached">
          <p>
            Attach this or another machine as described below. Waiting runs start automatically.
          </p>
        </Empty>
      )}
      <Section title="Attach a machine" id="attach">
        <Attach origin={origin} isAdmin={isAdmin} />
      </Section>
      {maySubmit && (
        <Section title="Invite browsers" id="invite">
          <Invites origin={origin} invites={invites} />
        </Section>
      )}
      <Section title="Import results from a machine that cannot reach this grid" id="import">
        <ImportResults maySubmit={maySubmit} />
      </Section>
    </>
  );
}
