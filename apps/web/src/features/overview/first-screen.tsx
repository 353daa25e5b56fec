/** The first screen: which kernel wins where on a device, and the ways in. */
import type { Overview } from '@tilemark/core/server';
import { deviceHref } from '@/features/devices/device-name';
import { WinnerMaps } from '@/features/winners/winner-map';
import type { MappedDevice, WinnerMap } from '@/features/winners/winners';
import { ButtonLink, TextLink } from '@/ui/button';
import { plural } from '@/ui/format';
import { Link } from '@/ui/link';

/** More devices than these are on their own page. */
const MOST_DEVICES = 6;

export function FirstScreen({
  overview,
  device,
  devices,
  maps,
}: {
  overview: Overview;
  /** Whose maps are shown; null: nothing is known of any. */
  device: MappedDevice | null;
  devices: readonly MappedDevice[];
  maps: readonly WinnerMap[];
}) {
  return (
    <section aria-labelledby="what" className="mb-10 space-y-5">
      <div className="flex flex-wrap items-end justify-between gap-x-8 gap-y-3">
        <div className="max-w-2xl">
          <h1 id="what" className="text-2xl leading-8">
            Which WGSL matrix multiply is fastest on your GPU?
          </h1>
          <p className="mt-1 text-muted">
            Each letter is the kernel that wins most of the N measured at that M and K. Select a
            cell for its times and WGSL.{' '}
            {overview.results > 0 &&
              `This grid: ${plural(overview.results, 'result')} on ${plural(overview.devices, 'device')}.`}
          </p>
        </div>
        <div className="flex flex-wrap gap-2">
          <ButtonLink href="/best" look="primary">
            Find the kernel for your shapes
          </ButtonLink>
          <ButtonLink href="/kernels/new">Try a kernel</ButtonLink>
        </div>
      </div>
      {device && (
        <div className="space-y-3">
          <div className="flex flex-wrap items-baseline gap-x-4 gap-y-1">
            <h2 className="text-[0.9375rem]">
              Fastest kernel by shape on{' '}
              <TextLink href={deviceHref(device.key)}>{device.name}</TextLink>
            </h2>
            {devices.length > 1 && <DeviceChoice devices={devices} chosen={device} />}
          </div>
          <WinnerMaps maps={maps} op="matmul" device={device.key} />
        </div>
      )}
    </section>
  );
}

function DeviceChoice({
  devices,
  chosen,
}: {
  devices: readonly MappedDevice[];
  chosen: MappedDevice;
}) {
  return (
    <nav aria-label="Device of the map" className="flex flex-wrap gap-x-3 text-[0.8125rem]">
      {devices.slice(0, MOST_DEVICES).map(({ key, name }) => (
        <Link
          key={key}
          href={`/?map=${encodeURIComponent(key)}`}
          aria-current={key === chosen.key ? 'true' : undefined}
          className="text-muted underline-offset-3 hover:underline aria-[current=true]:font-medium aria-[current=true]:text-ink"
        >
          {name}
        </Link>
      ))}
      {devices.length > MOST_DEVICES && <TextLink href="/devices">All devices</TextLink>}
    </nav>
  );
}
