import type { Metadata } from 'next';
import { z } from 'zod';
import { DeviceName } from '@/features/devices/device-name';
import { etagOf } from '@/server/etag';
import { readable } from '@/server/session/visitor';
import { ButtonLink } from '@/ui/button';
import { Ago } from '@/ui/facts';
import { formatCount } from '@/ui/format';
import { Live } from '@/ui/live';
import { Empty } from '@/ui/notice';
import { PageHeader } from '@/ui/page';
import { parseQuery, type SearchParams } from '@/ui/query';
import { DataTable, NextPage } from '@/ui/table';

export const metadata: Metadata = { title: 'Devices' };

const querySchema = z.object({ cursor: z.string().max(500).optional() });

export default async function DevicesPage({ searchParams }: { searchParams: SearchParams }) {
  const { store } = await readable();
  const { query } = parseQuery(querySchema, await searchParams);
  const page = await store.devices.list(query.cursor);

  return (
    <>
      <PageHeader
        title="Devices"
        actions={
          <>
            <Live
              source={`/api/v1/devices${query.cursor ? `?cursor=${encodeURIComponent(query.cursor)}` : ''}`}
              etag={etagOf(page)}
            />
            <ButtonLink href="/workers#attach">Attach a machine</ButtonLink>
          </>
        }
      >
        Everything measured so far. Machines with the same vendor, architecture, device, backend and
        runtime count as one device.
      </PageHeader>
      {page.items.length === 0 ? (
        <Empty title="No device has been attached yet">
          <p>Attaching a worker adds its machine’s GPU and CPU.</p>
          <ButtonLink href="/workers#attach" look="primary">
            Attach a worker
          </ButtonLink>
        </Empty>
      ) : (
        <DataTable
          caption="Devices"
          rows={page.items}
          keyOf={({ key }) => key}
          columns={[
            {
              head: 'Device',
              className: 'min-w-44',
              cell: (device) => <DeviceName device={device} />,
            },
            { head: 'Vendor', cell: ({ identity }) => identity.vendor },
            { head: 'Architecture', cell: ({ identity }) => identity.architecture || '–' },
            {
              head: 'Backend',
              cell: ({ identity: { backend, runtime } }) => (
                <>
                  {backend} <span className="text-muted">{runtime}</span>
                </>
              ),
            },
            { head: 'Workers', isFigure: true, cell: ({ workers }) => workers },
            { head: 'Waiting runs', isFigure: true, cell: ({ pending }) => formatCount(pending) },
            { head: 'Results', isFigure: true, cell: ({ results }) => formatCount(results) },
            {
              head: 'Last seen',
              isFigure: true,
              className: 'text-muted',
              cell: ({ lastSeenAt }) => <Ago date={lastSeenAt} />,
            },
          ]}
        />
      )}
      <NextPage cursor={page.nextCursor} path="/devices" />
    </>
  );
}
