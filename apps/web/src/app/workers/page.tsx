import type { Metadata } from 'next';
import { headers } from 'next/headers';
import { TokenForm } from '@/features/tokens/token-form';
import { NoWorker } from '@/features/workers/no-worker';
import { WorkersTable } from '@/features/workers/workers-table';
import { etagOf } from '@/server/etag';
import { readable, visitor } from '@/server/visitor';
import { TextLink } from '@/ui/button';
import { Command } from '@/ui/copy';
import { Live } from '@/ui/live';
import { Empty } from '@/ui/notice';
import { PageHeader, Section } from '@/ui/page';

export const metadata: Metadata = { title: 'Workers' };

export default async function WorkersPage() {
  const { store, settings } = await readable();
  const [items, queues] = await Promise.all([store.workers.list(), store.workers.queues()]);
  const origin = await ownOrigin();
  const isAdmin = (await visitor())?.role === 'admin';

  return (
    <>
      <PageHeader
        title="Workers"
        actions={<Live source="/api/v1/workers" etag={etagOf({ items, nextCursor: null })} />}
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
        <ol className="max-w-3xl list-inside list-decimal space-y-4 marker:text-muted">
          <li>
            {isAdmin
              ? 'Make a token with the role worker (member tokens are for people who submit sweeps).'
              : 'Ask an admin for a worker token, or make one with an admin token.'}
            <div className="mt-1.5">
              {isAdmin ? (
                <TokenForm />
              ) : (
                <Command
                  label="the command that makes a token"
                  text={`curl ${origin}/api/v1/tokens -H "Authorization: Bearer $ADMIN_TOKEN" --json '{"name":"lab machine","role":"worker"}'`}
                />
              )}
            </div>
          </li>
          <li>
            On the machine with the GPU, in a checkout of Tilemark. The grid’s operator says once
            how workers reach its database and queue:{' '}
            <TextLink href="/docs/attaching">attaching a machine</TextLink>.
            <div className="mt-1.5">
              <Command
                label="the command that attaches a worker"
                text={`npx tilemark worker --server ${origin} --token $TOKEN`}
              />
            </div>
          </li>
          <li>
            A device never seen before runs the starter suite at once, and appears on the
            leaderboard in about a minute.
          </li>
        </ol>
      </Section>
    </>
  );
}

/** The address under which the reader reaches this grid. */
async function ownOrigin(): Promise<string> {
  const given = await headers();
  const host = given.get('x-forwarded-host') ?? given.get('host') ?? 'localhost';
  return `${given.get('x-forwarded-proto') ?? 'http'}://${host}`;
}
