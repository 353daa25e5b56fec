import { DEVICE_GROUPS, deviceKey, isOn } from '@tilemark/core';
import type { Metadata } from 'next';
import { z } from 'zod';
import { DeviceCard } from '@/features/devices/device-card';
import { DeviceName } from '@/features/devices/device-name';
import { shippedDevices } from '@/features/winners/winners';
import { etagOf } from '@/server/etag';
import { readable } from '@/server/session/visitor';
import { ButtonLink } from '@/ui/button';
import { Live } from '@/ui/live';
import { PageHeader, Panel } from '@/ui/page';
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
  const models = shippedDevices().filter(
    (identity) => !query.cursor && !devices.some(({ key }) => isOn(identity, { key })),
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
            <ButtonLink href="/add">Attach a machine</ButtonLink>
          </>
        }
      >
        Machines with the same GPU, backend and runtime count as one device.
        <Words of={['variant', 'profile', 'peak', 'interval']} />
      </PageHeader>
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
        {models.map((identity) => (
          <li key={identity.device}>
            <Panel className="space-y-1 px-4 py-3">
              <DeviceName
                device={{ key: deviceKey(identity), name: identity.device, class: identity.class }}
              />
              <p className="text-xs text-muted">Not of this grid: its times ship with Tilemark.</p>
            </Panel>
          </li>
        ))}
      </ul>
      <NextPage cursor={page.nextCursor} path="/devices" />
    </>
  );
}
