import type { DeviceQueue } from '@tilemark/core';
import { DeviceName } from '@/features/devices/device-name';
import { TextLink } from '@/ui/button';
import { formatCount } from '@/ui/format';
import { Notice } from '@/ui/notice';

/** Says where runs wait that nobody takes: for a device without a worker, or with none that works. */
export function NoWorker({ queues }: { queues: readonly DeviceQueue[] }) {
  const stuck = queues.filter(({ waiting, serving }) => waiting > 0 && serving === 0);
  if (stuck.length === 0) return null;
  return (
    <div className="mb-5">
      <Notice tone="amber">
        <ul className="space-y-1">
          {stuck.map(({ device, waiting, workers }) => (
            <li key={device.key}>
              <DeviceName device={device} />{' '}
              {workers === 0 ? 'has no worker' : 'has no worker that takes runs'}:{' '}
              {formatCount(waiting)} {waiting === 1 ? 'run waits' : 'runs wait'} until{' '}
              {workers === 0 ? (
                <TextLink href="/workers#attach">one is attached</TextLink>
              ) : (
                <TextLink href="/workers">one is resumed</TextLink>
              )}
              .
            </li>
          ))}
        </ul>
      </Notice>
    </div>
  );
}
