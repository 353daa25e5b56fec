import type { DeviceQueue, Worker } from '@tilemark/core';
import type { FailedSweep } from '@tilemark/core/server';
import { VariantLink } from '@/features/kernels/address';
import { DEVICE, deviceColumn } from '@/features/results/columns';
import { Action } from '@/ui/action';
import { TextLink } from '@/ui/button';
import { Ago } from '@/ui/facts';
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

/** Sweeps with failed runs: what failed last, and a way to run them again. */
export function FailedSweeps({
  sweeps,
  mayRetry,
}: {
  sweeps: readonly FailedSweep[];
  mayRetry: (sweep: FailedSweep) => boolean;
}) {
  return (
    <DataTable
      caption="Sweeps with failed runs"
      rows={sweeps}
      keyOf={({ id }) => id}
      columns={[
        {
          head: 'Sweep',
          className: 'min-w-36',
          cell: ({ id, name }) => (
            <TextLink href={`/sweeps/${encodeURIComponent(id)}?find=failed`}>{name}</TextLink>
          ),
        },
        { head: 'Failed', isFigure: true, cell: ({ failed }) => formatCount(failed) },
        {
          head: 'Newest failure',
          className: 'min-w-64 wrap-anywhere',
          cell: ({ newest: { address, reason, resultId } }) => (
            <>
              <VariantLink address={address} resultId={resultId} />
              <span className="block text-xs text-muted">{reason?.split('\n')[0]}</span>
            </>
          ),
        },
        deviceColumn(({ newest }: FailedSweep) => newest.device),
        {
          head: 'When',
          isFigure: true,
          className: 'text-muted',
          cell: ({ newest }) => (newest.endedAt ? <Ago date={newest.endedAt} /> : '–'),
        },
        ...(sweeps.some(mayRetry)
          ? [
              {
                head: 'Actions',
                className: 'py-0!',
                cell: (sweep: FailedSweep) =>
                  mayRetry(sweep) && (
                    <Action
                      url={`/api/v1/sweeps/${encodeURIComponent(sweep.id)}/retry`}
                      label={`the failed runs of ${sweep.name}`}
                    >
                      Retry
                    </Action>
                  ),
              },
            ]
          : []),
      ]}
    />
  );
}
