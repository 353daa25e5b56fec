/** Devices: their names, their measured roofline, and what was measured on them. */
import { type DeviceRef, hasProfiles, RUNTIMES } from '@tilemark/core';
import { TextLink } from '@/ui/button';
import { Badge } from '@/ui/notice';
import { shortDeviceName } from './short-device-name';

const CLASSES: Readonly<Record<DeviceRef['class'], string>> = {
  gpu: 'GPU',
  software: 'Software',
  cpu: 'CPU',
  browser: 'Browser',
};

/** What kind of device it is, in a word. Classes are separate groups on the board. */
export function ClassBadge({ of }: { of: DeviceRef['class'] }) {
  return <Badge tone={of === 'gpu' ? 'accent' : 'neutral'}>{CLASSES[of]}</Badge>;
}

export const deviceHref = (key: string): string => `/devices/${encodeURIComponent(key)}`;

/** A device's name, its class, and the way to its page. */
export function DeviceName({ device }: { device: DeviceRef }) {
  return (
    <span className="inline-flex flex-wrap items-baseline gap-x-2 in-[dd]:justify-end">
      <TextLink href={deviceHref(device.key)} title={device.name}>
        {shortDeviceName(device.name)}
      </TextLink>
      {device.label && <span className="text-xs text-muted">{device.label}</span>}
      <ClassBadge of={device.class} />
      {device.runtime !== undefined && !hasProfiles(device) && RUNTIMES[device.runtime] && (
        <span className="text-xs text-muted">{RUNTIMES[device.runtime]?.title}</span>
      )}
    </span>
  );
}
