import type { DeviceQueue, Worker } from '@tilemark/core';
import { DEVICE } from '@/features/results/columns';
import { formatCount } from '@/ui/format';
import { DataTable } from '@/ui/table';
import { etaText } from './waiting';

/** What waits for each device, and who serves it. */
export function QueuesTable({
  queues,
  workers,
}: {
  queues: readonly DeviceQueue[];
  workers: readonly Worker[];
}) {
  const runningOn = (key: string) =>
    workers.filter(({ device, run, state }) => device.key === key && run && state !== 'lost');
  return (
    <DataTable
      caption="Queues by device"
      rows={queues}
      keyOf={({ device }) => device.key}
      columns={[
        DEVICE,
        {
          head: 'Workers taking runs',
          title: 'The others are drained or paused',
          isFigure: true,
          cell: ({ serving, workers: all }) => `${formatCount(serving)} of ${formatCount(all)}`,
        },
        { head: 'Waiting', isFigure: true, cell: ({ waiting }) => formatCount(waiting) },
        {
          head: 'Running',
          isFigure: true,
          cell: ({ device }) => formatCount(runningOn(device.key).length),
        },
        { head: 'ETA', title: 'Time until the queue is empty', isFigure: true, cell: etaText },
      ]}
    />
  );
}
