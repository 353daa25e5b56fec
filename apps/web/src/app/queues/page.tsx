import type { Metadata } from 'next';
import { FailedSweeps, QueuesTable } from '@/features/queues/queues-tables';
import { NoWorker } from '@/features/workers/no-worker';
import { isOwner } from '@/server/session/access';
import { readable, visitor } from '@/server/session/visitor';
import { TextLink } from '@/ui/button';
import { Empty } from '@/ui/notice';
import { PageHeader, Section } from '@/ui/page';

export const metadata: Metadata = { title: 'Queues' };

export default async function QueuesPage() {
  const { store } = await readable();
  const user = await visitor();
  const [queues, workers, failed] = await Promise.all([
    store.workers.queues(),
    store.workers.list(),
    store.sweeps.failed(user),
  ]);
  return (
    <>
      <PageHeader above={<TextLink href="/workers">Workers</TextLink>} title="Queues">
        Each device has one queue, which its workers share. Runs of standard suites wait until
        nothing else does.
      </PageHeader>
      <NoWorker queues={queues} />
      {queues.length > 0 ? (
        <QueuesTable queues={queues} workers={workers} />
      ) : (
        <Empty title="No device has a worker or waiting runs">
          <TextLink href="/workers#attach">Attach a machine</TextLink>
        </Empty>
      )}
      <Section
        id="failed"
        title="Failed runs"
        note="by sweep, the latest first; those that did not compile would fail again and are left out"
      >
        {failed.length > 0 ? (
          <FailedSweeps
            sweeps={failed}
            mayRetry={(sweep) => user !== null && isOwner(user, sweep)}
          />
        ) : (
          <p className="text-muted">No failed run is left to retry.</p>
        )}
      </Section>
    </>
  );
}
