import type { Metadata } from 'next';
import { z } from 'zod';
import { DeviceName } from '@/features/devices/device-name';
import { etagOf } from '@/server/etag';
import { readable } from '@/server/visitor';
import { ButtonLink } from '@/ui/button';
import { formatCount } from '@/ui/format';
import { Live } from '@/ui/live';
import { Ago } from '@/ui/moment';
import { NextPage } from '@/ui/next-page';
import { Empty } from '@/ui/notice';
import { PageHeader } from '@/ui/page';
import { parseQuery, type SearchParams } from '@/ui/query';
import { TablePanel } from '@/ui/table';

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
            <ButtonLink href="/workers">Attach a machine</ButtonLink>
          </>
        }
      >
        What has been measured. Machines with equal vendor, architecture, device, backend and
        runtime count as one device.
      </PageHeader>
      {page.items.length === 0 ? (
        <Empty title="No device has been attached yet">
          <p>A worker brings its machine’s GPU and CPU with it.</p>
          <ButtonLink href="/workers" look="primary">
            Attach a worker
          </ButtonLink>
        </Empty>
      ) : (
        <TablePanel caption="Devices">
          <thead>
            <tr>
              <th scope="col">Device</th>
              <th scope="col">Vendor</th>
              <th scope="col">Architecture</th>
              <th scope="col">Backend</th>
              <th scope="col" className="figure">
                Workers
              </th>
              <th scope="col" className="figure">
                Waiting runs
              </th>
              <th scope="col" className="figure">
                Results
              </th>
              <th scope="col" className="figure">
                Last seen
              </th>
            </tr>
          </thead>
          <tbody>
            {page.items.map((device) => (
              <tr key={device.key}>
                <th scope="row" className="min-w-44">
                  <DeviceName device={device} />
                </th>
                <td>{device.identity.vendor}</td>
                <td>{device.identity.architecture || '–'}</td>
                <td>
                  {device.identity.backend}{' '}
                  <span className="text-muted">{device.identity.runtime}</span>
                </td>
                <td className="figure">{device.workers}</td>
                <td className="figure">{formatCount(device.pending)}</td>
                <td className="figure">{formatCount(device.results)}</td>
                <td className="figure text-muted">
                  <Ago date={device.lastSeenAt} />
                </td>
              </tr>
            ))}
          </tbody>
        </TablePanel>
      )}
      <NextPage cursor={page.nextCursor} path="/devices" />
    </>
  );
}
