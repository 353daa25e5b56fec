import { DEVICE_GROUPS } from '@tilemark/core';
import type { Metadata } from 'next';
import { z } from 'zod';
import { DeviceCard } from '@/features/devices/device-card';
import { etagOf } from '@/server/etag';
import { readable } from '@/server/session/visitor';
import { ButtonLink } from '@/ui/button';
import { Live } from '@/ui/live';
import { Empty } from '@/ui/notice';
import { PageHeader } from '@/ui/page';
import { parseQuery, type SearchParams } from '@/ui/query';
import { NextPage } from '@/ui/table';
import { Words } from '@/ui/words';

export const metadata: Metadata = { title: 'Devices' };

const querySchema = z.object({ cursor: z.string().max(500).optional() });

export default async function DevicesPage({ searchParams }: { searchParams: SearchParams }) {
  const { store } = await readable();
  const { query } = parseQuery(querySchema, await searchParams);
  const [page, workers] = await Promise.all([
    store.devices.list(query.cursor),
    store.workers.list(),
  ]);
  const devices = page.items.toSorted(
    (a, b) => DEVICE_GROUPS.indexOf(a.class) - DEVICE_GROUPS.indexOf(b.class),
  );
  const [summaries, references] = await Promise.all([
    store.devices.summaries(devices.map(({ key }) => key)),
    Promise.all(devices.map(({ name }) => store.references.ofHardware(name))),
  ]);

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
        <Words of={['variant', 'profile', 'peak', 'interval']} />
      </PageHeader>
      {page.items.length === 0 ? (
        <Empty title="No device has been attached yet">
          <p>Attaching a worker adds its machine’s GPU and CPU.</p>
          <ButtonLink href="/workers#attach" look="primary">
            Attach a worker
          </ButtonLink>
        </Empty>
      ) : (
        <ul className="grid items-start gap-4 sm:grid-cols-2 lg:grid-cols-3">
          {devices.map((device, index) => (
            <DeviceCard
              key={device.key}
              device={device}
              summary={summaries.get(device.key)}
              workers={workers.filter((worker) => worker.device.key === device.key)}
              reference={references[index] ?? []}
            />
          ))}
        </ul>
      )}
      <NextPage cursor={page.nextCursor} path="/devices" />
    </>
  );
}
