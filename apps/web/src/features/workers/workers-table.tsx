import type { DeviceQueue, Worker } from '@tilemark/core';
import { DeviceName } from '@/features/devices/device-name';
import { Badge, type Tone } from '@/ui/badge';
import { TextLink } from '@/ui/button';
import { formatCount, formatPercent } from '@/ui/format';
import { Ago } from '@/ui/moment';
import { TablePanel } from '@/ui/table';
import { etaText } from './eta';
import { stateText } from './state-text';
import { WorkerActions } from './worker-actions';

const TONES: Readonly<Record<Worker['state'], Tone>> = {
  idle: 'neutral',
  running: 'accent',
  draining: 'amber',
  paused: 'amber',
  lost: 'rose',
};

/** Attached processes: which machine, which device, what each does, and how well. */
export function WorkersTable({
  workers,
  queues,
  gridVersion,
  isAdmin = false,
  withDevice = true,
}: {
  workers: readonly Worker[];
  queues: readonly DeviceQueue[];
  /** Workers of another version are marked. */
  gridVersion: string;
  isAdmin?: boolean;
  withDevice?: boolean;
}) {
  return (
    <TablePanel caption="Workers">
      <thead>
        <tr>
          <th scope="col">Worker</th>
          <th scope="col">State</th>
          {withDevice && <th scope="col">Device</th>}
          <th scope="col" className="figure" title="Runs that ended here within the last hour">
            Runs an hour
          </th>
          <th scope="col" className="figure" title="Of the runs of the last hour">
            Failed
          </th>
          <th scope="col" className="figure" title="Runs that wait for the device">
            Queue
          </th>
          <th scope="col" className="figure" title="Until the queue is empty">
            Done in
          </th>
          <th scope="col" className="figure">
            Heard from
          </th>
          {isAdmin && <th scope="col">Actions</th>}
        </tr>
      </thead>
      <tbody>
        {workers.map((worker) => {
          const queue = queues.find(({ device }) => device.key === worker.device.key);
          return (
            <tr key={worker.id}>
              <th scope="row" className="min-w-40">
                {shownName(worker)}
                <span className="block text-xs font-normal text-muted">
                  {isAdmin && (worker.token ? `by token ${worker.token}, ` : 'the grid’s own, ')}
                  version {worker.version}{' '}
                  {worker.version !== gridVersion && (
                    <Badge tone="amber">the grid is {gridVersion}</Badge>
                  )}
                </span>
              </th>
              <td className="min-w-32">
                <State worker={worker} />
              </td>
              {withDevice && (
                <td className="min-w-40">
                  <DeviceName device={worker.device} />
                </td>
              )}
              <td className="figure">{formatCount(worker.lastHour.ended)}</td>
              <td className="figure">
                {worker.lastHour.ended === 0
                  ? '–'
                  : formatPercent(worker.lastHour.failed / worker.lastHour.ended)}
              </td>
              <td className="figure">{formatCount(queue?.waiting ?? 0)}</td>
              <td className="figure whitespace-nowrap">{etaText(queue)}</td>
              <td className="figure text-muted">
                <Ago date={worker.lastHeartbeatAt} />
              </td>
              {isAdmin && (
                <td className="py-0!">
                  <WorkerActions worker={worker} />
                </td>
              )}
            </tr>
          );
        })}
      </tbody>
    </TablePanel>
  );
}

/** `lab: H200 #2` as `lab #2`: the device stands beside it. */
const shownName = ({ name, host, device }: Worker): string =>
  name.startsWith(`${host}: `) ? name.replace(`: ${device.name}`, '') : `${name}, ${host}`;

function State({ worker: { state, run, wanted } }: { worker: Worker }) {
  const text = stateText({ state, wanted });
  return (
    <>
      <Badge tone={text === state ? TONES[state] : 'amber'}>{text}</Badge>
      {state === 'lost' && (
        <span className="mt-0.5 block max-w-48 text-xs text-muted">
          its machine or network is away; its run goes to another
        </span>
      )}
      {run && state !== 'lost' && (
        <span className="mt-0.5 block text-xs">
          <TextLink href={`/sweeps/${encodeURIComponent(run.sweep.id)}`} title={run.sweep.name}>
            {run.address.replace(/\[.*/, '')}
          </TextLink>{' '}
          <span className="text-muted">
            {run.shape} {run.dtype}
          </span>
        </span>
      )}
    </>
  );
}
