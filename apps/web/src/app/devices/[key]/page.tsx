import { deviceKey, dtypesOfFamily, FAMILIES, shippedDevices } from '@tilemark/core';
import type { Metadata } from 'next';
import { notFound, redirect } from 'next/navigation';
import { cache } from 'react';
import { Changes } from '@/features/devices/changes';
import { ClassBadge } from '@/features/devices/device-name';
import { ENGINES_NOTE, EnginesTable } from '@/features/devices/engines-table';
import { LabelForm } from '@/features/devices/label-form';
import { BestResults, Capabilities, History, powerCapsOf } from '@/features/devices/measured';
import { deviceRoofs } from '@/features/devices/roof';
import { Roofline } from '@/features/devices/roofline';
import { type FamilyChoice, TuneForm } from '@/features/devices/tune-form';
import { WinnerMaps } from '@/features/winners/winner-map';
import { winnerMapsOf } from '@/features/winners/winners';
import { WorkersTable } from '@/features/workers/workers-table';
import { etagOf } from '@/server/etag';
import { readable, visitor } from '@/server/session/visitor';
import { ButtonLink, TextLink } from '@/ui/button';
import { Facts, Moment } from '@/ui/facts';
import { formatCount, plural } from '@/ui/format';
import { Live } from '@/ui/live';
import { LogIn } from '@/ui/navigation';
import { Notice } from '@/ui/notice';
import { PageHeader, Panel, Section } from '@/ui/page';

type Props = { params: Promise<{ key: string }> };

const FAMILY_CHOICES: readonly FamilyChoice[] = FAMILIES.map((family) => ({
  id: family.id,
  title: family.title,
  shapes: family.shapes.length,
  dtypes: dtypesOfFamily(family),
}));

const load = cache(async (key: string) => {
  const { store } = await readable();
  return store.devices.get(key);
});

/** A model that Tilemark ships times of, by the key that a device of it would have. */
const modelOf = (key: string) =>
  shippedDevices().find((identity) => deviceKey(identity) === key) ?? notFound();

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const key = decodeURIComponent((await params).key);
  const device = await load(key);
  if (!device) return { title: modelOf(key).device };
  const results = plural(device.results, 'measured result');
  return {
    title: device.name,
    description: `${device.name} (${device.identity.backend}): ${results}.`,
  };
}

export default async function DevicePage({ params }: Props) {
  const { store, settings } = await readable();
  const key = decodeURIComponent((await params).key);
  const device = await load(key);
  // What ships of a model is its map.
  if (!device) redirect(`/?map=${encodeURIComponent(deviceKey(modelOf(key)))}`);
  const [best, engines, surveys, history, workers, user, maps, changes] = await Promise.all([
    store.devices.best(device.key),
    store.engines({ hardware: device.hardware }),
    store.rooflines.latest(device.key),
    store.devices.history(device.key),
    store.workers.list(),
    visitor(),
    winnerMapsOf(store, device.key),
    store.changes({ device: device.key }),
  ]);
  const attached = workers.filter((worker) => worker.device.key === device.key);
  const { identity } = device;
  const caps = powerCapsOf(best);
  const maySubmit = user?.role === 'member' || user?.role === 'admin';

  return (
    <>
      <PageHeader
        title={
          <span className="inline-flex flex-wrap items-center gap-2">
            {device.name}
            {device.label && <span className="text-muted">{device.label}</span>}
            <ClassBadge of={device.class} />
          </span>
        }
        actions={
          <>
            <Live
              source={`/api/v1/devices/${encodeURIComponent(device.key)}`}
              etag={etagOf({ ...device, best })}
            />
            <ButtonLink href={`/sweeps/new?device=${encodeURIComponent(device.key)}`}>
              Sweep this device
            </ButtonLink>
          </>
        }
      />
      {changes.items.length > 0 && (
        <Section title="Changes" id="changes">
          <Changes changes={changes.items} />
        </Section>
      )}
      {maps.length > 0 && (
        <Section title="Fastest kernel by shape" id="winners">
          <WinnerMaps maps={maps} device={device.key} />
        </Section>
      )}
      {best.length > 0 && (
        <Section title="Best results" id="best">
          <BestResults results={best} device={device.name} />
        </Section>
      )}
      {engines.length > 0 && (
        <Section title="Under each engine" id="engines" note={ENGINES_NOTE}>
          <EnginesTable caption={`Kernels of ${device.name} by engine`} rows={engines} />
        </Section>
      )}
      {device.class !== 'cpu' && (
        <Section title="Tune this device" id="tune">
          <Panel className="space-y-4 p-4">
            <p className="max-w-prose text-[0.8125rem] text-muted">
              Searches all kernels for the fastest variant of one problem or of a family of shapes:{' '}
              <TextLink href="/docs/choose#search-a-family-of-shapes">how it searches</TextLink>.
              {attached.length === 0 && ' It begins once a worker of the device is attached.'}
            </p>
            {maySubmit ? (
              <TuneForm device={device} families={FAMILY_CHOICES} />
            ) : (
              <Notice>
                <LogIn to="start a search" />
              </Notice>
            )}
          </Panel>
        </Section>
      )}
      <Roofline roofs={deviceRoofs(surveys, best)} best={best} device={device.name} />
      {history.length > 0 && (
        <Section title="By driver version" id="history">
          <History variants={history} />
        </Section>
      )}
      {attached.length > 0 && (
        <Section title="Workers" id="workers">
          <WorkersTable workers={attached} gridVersion={settings.version} withDevice={false} />
        </Section>
      )}
      <Section title="Identity" id="identity">
        <Panel>
          <Facts
            columns={2}
            facts={[
              { name: 'Vendor', value: identity.vendor },
              { name: 'Architecture', value: identity.architecture || '–' },
              { name: 'Backend', value: identity.backend },
              { name: 'Runtime', value: identity.runtime },
              ...(caps ? [{ name: 'Power cap', value: caps }] : []),
              { name: 'First seen', value: <Moment date={device.firstSeenAt} /> },
              {
                name: 'Last seen',
                value: device.isImportedOnly ? (
                  'imported only'
                ) : (
                  <Moment date={device.lastSeenAt} />
                ),
              },
              { name: 'Measured results', value: formatCount(device.results) },
              { name: 'Waiting runs', value: formatCount(device.pending) },
            ]}
          />
          <div className="border-t border-line px-4 py-2 text-[0.8125rem]">
            <span className="mr-3 text-muted">Key</span>
            <code className="break-all">{device.key}</code>
          </div>
          {user?.role === 'admin' && <LabelForm device={device} />}
        </Panel>
      </Section>
      {device.class !== 'cpu' && (
        <Section title="Capabilities" id="capabilities">
          <Capabilities limits={device.capabilities} />
        </Section>
      )}
    </>
  );
}
