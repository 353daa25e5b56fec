import type { Device, Worker } from '@tilemark/core';
import type { DeviceSummary } from '@tilemark/core/server';
import { OPS, opsUnit, shapeText } from '@tilemark/kernels';
import { Tick, Ticking } from '@/features/chart/ticks';
import { VariantLink } from '@/features/kernels/address';
import { Ago, Rate } from '@/ui/facts';
import { formatCount, formatRate, formatShape } from '@/ui/format';
import { DataTable } from '@/ui/table';
import { DeviceName } from './device-name';

/** A device with what is known of it at a glance. */
export interface ListedDevice {
  readonly device: Pick<Device, 'key' | 'name' | 'class' | 'identity'>;
  /** Null: a model whose times ship with Tilemark, not of this grid. */
  readonly own: Pick<Device, 'isImportedOnly' | 'lastSeenAt' | 'pending' | 'results'> | null;
  readonly summary: DeviceSummary | undefined;
  readonly workers: readonly Worker[];
}

/** What each device is, the best it did, the most it can do, and who serves it. */
export function DevicesTable({ devices }: { devices: readonly ListedDevice[] }) {
  return (
    <Ticking>
      <DataTable
        caption="Devices"
        wraps
        rows={devices}
        keyOf={({ device }) => device.key}
        columns={[
          {
            head: 'Device',
            className: 'min-w-44',
            cell: ({ device, own }) => (
              <>
                <span className="inline-flex items-start">
                  {own && <Tick of={device} />}
                  <DeviceName device={device} />
                </span>
                <span className="block text-xs font-normal text-muted">
                  {own
                    ? `${device.identity.backend} (${device.identity.runtime})`
                    : 'not of this grid: its times ship with Tilemark'}
                </span>
              </>
            ),
          },
          {
            head: 'Best of each operation',
            className: 'min-w-72',
            cell: (row) => <Bests of={row} />,
          },
          {
            head: 'Peak (f32)',
            isFigure: true,
            cell: ({ summary }) => peakText(summary),
          },
          { head: 'Served by', cell: ({ workers }) => servedBy(workers) },
          {
            head: 'Results',
            isFigure: true,
            cell: ({ own }) =>
              own ? (
                <>
                  {formatCount(own.results)}
                  {own.pending > 0 && (
                    <span className="block text-xs text-muted">
                      {formatCount(own.pending)} waiting
                    </span>
                  )}
                </>
              ) : (
                '–'
              ),
          },
          {
            head: 'Last seen',
            isFigure: true,
            className: 'text-muted',
            cell: ({ own }) =>
              own ? own.isImportedOnly ? 'imported' : <Ago date={own.lastSeenAt} /> : '–',
          },
        ]}
      />
    </Ticking>
  );
}

function Bests({ of: { summary } }: { of: ListedDevice }) {
  const { bests = [] } = summary ?? {};
  if (bests.length === 0) return '–';
  return (
    <ul className="space-y-1.5">
      {bests.map(({ address, isImported, problem, profile, rate, resultId, unranked }) => (
        <li key={problem.op}>
          <Rate of={rate} /> <VariantLink address={address} resultId={resultId} />
          <span className="block text-xs text-muted">
            {OPS[problem.op].title} {formatShape(shapeText(problem))} {problem.dtype}, {profile}
            {isImported && ', imported'}
            {unranked && ', not ranked'}
          </span>
        </li>
      ))}
    </ul>
  );
}

function peakText(summary: DeviceSummary | undefined): string {
  const probed = (summary?.roofs ?? []).flatMap(({ peaks }) =>
    peaks.flatMap(({ dtype, gigaflopsPerSecond }) => (dtype === 'f32' ? gigaflopsPerSecond : [])),
  );
  return probed.length > 0 ? `${formatRate(Math.max(...probed))} ${opsUnit('f32')}` : '–';
}

const servedBy = (workers: readonly Worker[]): string =>
  workers.flatMap(({ name, state }) => (state === 'lost' ? [] : name)).join(', ') || '–';
