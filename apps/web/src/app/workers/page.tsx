import type { Metadata } from 'next';
import { headers } from 'next/headers';
import { ImportResults } from '@/features/imports/import-results';
import { Attach } from '@/features/workers/attach';
import { NoWorker } from '@/features/workers/no-worker';
import { WorkersTable } from '@/features/workers/workers-table';
import { BOARD_PATH } from '@/server/board-path';
import { etagOf } from '@/server/etag';
import { listedWorkers } from '@/server/listed-workers';
import { originOf } from '@/server/origin';
import { readable, visitor } from '@/server/visitor';
import { ButtonAnchor } from '@/ui/button';
import { Live } from '@/ui/live';
import { Empty } from '@/ui/notice';
import { PageHeader, Section } from '@/ui/page';

export const metadata: Metadata = { title: 'Workers' };

export default async function WorkersPage() {
  const { store, settings } = await readable();
  const user = await visitor();
  const [items, queues] = await Promise.all([listedWorkers(store, user), store.workers.queues()]);
  const isAdmin = user?.role === 'admin';
  const origin = originOf(await headers());

  return (
    <>
      <PageHeader
        title="Workers"
        actions={
          <>
            <Live source="/api/v1/workers" etag={etagOf({ items, nextCursor: null })} />
            {isAdmin && <ButtonAnchor href={BOARD_PATH}>Queues in Bull Board</ButtonAnchor>}
          </>
        }
      >
        Each worker owns one device and runs one benchmark at a time. A drained worker ends with the
        run in hand; a paused one gives it back.
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
          <p>Attach this machine or another one as below. Waiting runs begin by themselves.</p>
        </Empty>
      )}
      <Section title="Attach a machine" id="attach">
        <Attach origin={origin} isAdmin={isAdmin} />
      </Section>
      <Section title="A machine without a path to this grid" id="import">
        <ImportResults maySubmit={isAdmin || user?.role === 'member'} />
      </Section>
    </>
  );
}
