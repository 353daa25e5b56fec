/** The first screen: which kernel wins where on a device, and the ways in. */
import { deviceHref } from '@/features/devices/device-name';
import { WinnerMaps } from '@/features/winners/winner-map';
import type { MappedDevice, WinnerMap } from '@/features/winners/winners';
import { ButtonLink, TextLink } from '@/ui/button';
import { HowFast } from './how-fast';

/** More devices than these are on their own page. */
const MOST_DEVICES = 6;

export function FirstScreen({
  device,
  devices,
  maps,
  version,
}: {
  /** Of Tilemark. */
  version: string;
  /** Whose maps are shown; null: nothing is known of any. */
  device: MappedDevice | null;
  devices: readonly MappedDevice[];
  maps: readonly WinnerMap[];
}) {
  return (
    <section aria-labelledby="what" className="mb-10 space-y-5">
      <HowFast
        version={version}
        actions={
          <>
            <ButtonLink href="/best" look="primary">
              Find the kernel for your shapes
            </ButtonLink>
            <ButtonLink href="/kernels/new">Try a kernel</ButtonLink>
          </>
        }
      >
        <div className="max-w-2xl">
          <h1 id="what" className="text-2xl leading-8">
            Which WGSL matrix multiply is fastest on your GPU?
          </h1>
          {device && <p className="mt-1 text-muted">Rows K, columns M; click a cell.</p>}
        </div>
      </HowFast>
      {device && (
        <div className="space-y-3">
          <div className="flex flex-wrap items-baseline gap-x-4 gap-y-1">
            <h2 className="text-[0.9375rem]">
              Fastest kernel by shape on{' '}
              <TextLink href={deviceHref(device.key)}>{device.name}</TextLink>
            </h2>
            <OtherDevices devices={devices.filter(({ key }) => key !== device.key)} />
          </div>
          <WinnerMaps maps={maps} device={device.key} />
        </div>
      )}
    </section>
  );
}

function OtherDevices({ devices }: { devices: readonly MappedDevice[] }) {
  if (devices.length === 0) return null;
  return (
    <nav aria-label="Other devices" className="flex flex-wrap gap-x-3 text-[0.8125rem]">
      <span className="text-muted">or on</span>
      {devices.slice(0, MOST_DEVICES).map(({ key, name }) => (
        <TextLink key={key} href={`/?map=${encodeURIComponent(key)}`}>
          {name}
        </TextLink>
      ))}
      {devices.length > MOST_DEVICES && <TextLink href="/devices">All devices</TextLink>}
    </nav>
  );
}
