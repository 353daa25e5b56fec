import { DEVICE_GROUPS, deviceKey, isOn, shippedDevices } from '@tilemark/core';
import type { Metadata } from 'next';
import { z } from 'zod';
import { DevicesTable } from '@/features/devices/devices-table';
import { etagOf } from '@/server/etag';
import { readable } from '@/server/session/visitor';
import { ButtonLink } from '@/ui/button';
import { Live } from '@/ui/live';
import { PageHeader } from '@/ui/page';
import { parseQuery, type SearchParams } from '@/ui/query';
import { NextPage } from '@/ui/table';

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
  const models = shippedDevices().filter(
    (identity) => !query.cursor && !devices.some(({ key }) => isOn(identity, { key })),
  );
  const summaries = await store.devices.summaries(devices.map(({ key }) => key));

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
            <ButtonLink href="/add">Attach a machine</ButtonLink>
          </>
        }
      >
        Machines with the same GPU, backend and runtime count as one device.
      </PageHeader>
      <DevicesTable
        devices={[
          ...devices.map((device) => ({
            device,
            own: device,
            summary: summaries.get(device.key),
            workers: workers.filter((worker) => worker.device.key === device.key),
          })),
          ...models.map((identity) => ({
            device: {
              key: deviceKey(identity),
              name: identity.device,
              class: identity.class,
              identity,
            },
            own: null,
            summary: undefined,
            workers: [],
          })),
        ]}
      />
      <NextPage cursor={page.nextCursor} path="/devices" />
    </>
  );
}
