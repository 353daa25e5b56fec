import type { DeviceQueue, RunView } from '@tilemark/core';
import { deviceHref } from '@/features/devices/device-name';
import { shortDeviceName } from '@/features/devices/short-device-name';
import { TextLink } from '@/ui/button';
import { formatCount } from '@/ui/format';
import { Notice } from '@/ui/notice';

/** Devices whose runs wait because no worker is attached, or none is taking runs. */
export function NoWorker({
  queues,
  className = 'mb-5',
}: {
  queues: readonly DeviceQueue[];
  className?: string;
}) {
  const stuck = queues.filter(isStuck);
  if (stuck.length === 0) return null;
  return (
    <Notice tone="amber" className={className}>
      <ul className="space-y-1">
        {stuck.map(({ device, waiting, workers }) => (
          <li key={device.key}>
            <TextLink href={deviceHref(device.key)} title={device.name}>
              {shortDeviceName(device.name)}
            </TextLink>{' '}
            {workers === 0 ? 'has no worker' : 'has no worker taking runs'}: {formatCount(waiting)}{' '}
            {waiting === 1 ? 'run waits' : 'runs wait'} until{' '}
            {workers === 0 ? (
              <TextLink href="/add">one is attached</TextLink>
            ) : (
              <TextLink href="/operate">one is resumed</TextLink>
            )}
            .
          </li>
        ))}
      </ul>
    </Notice>
  );
}

const isStuck = ({ serving, waiting }: DeviceQueue): boolean => waiting > 0 && serving === 0;

/** Whether a worker is attached to some device of a sweep; one that names none is for those attached. */
export const isServed = (
  devices: readonly string[] | undefined,
  queues: readonly DeviceQueue[],
): boolean =>
  queues.some(({ device, workers }) => workers > 0 && (devices?.includes(device.key) ?? true));

/** The queues of the devices that a sweep waits for in vain, counting only its own runs. */
export const stuckIn = (
  runs: readonly RunView[],
  queues: readonly DeviceQueue[],
): readonly DeviceQueue[] =>
  queues
    .map((queue) => ({
      ...queue,
      waiting: runs.filter(
        ({ kind, device }) => kind === 'pending' && device.key === queue.device.key,
      ).length,
    }))
    .filter(isStuck);
