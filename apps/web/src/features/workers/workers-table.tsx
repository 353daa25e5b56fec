import type { Worker } from '@tilemark/core';
import { DeviceName } from '@/features/devices/device-name';
import { Badge, type Tone } from '@/ui/badge';
import { Ago } from '@/ui/moment';
import { TablePanel } from '@/ui/table';

const TONES: Readonly<Record<Worker['state'], Tone>> = {
  idle: 'neutral',
  running: 'accent',
  draining: 'amber',
  paused: 'amber',
  lost: 'rose',
};

/** Attached processes: which machine, which device, and whether they are heard from. */
export function WorkersTable({
  workers,
  withDevice = true,
}: {
  workers: readonly Worker[];
  withDevice?: boolean;
}) {
  return (
    <TablePanel caption="Workers">
      <thead>
        <tr>
          <th scope="col">Worker</th>
          <th scope="col">State</th>
          {withDevice && <th scope="col">Device</th>}
          <th scope="col">Host</th>
          <th scope="col">Version</th>
          <th scope="col" className="figure">
            Heard from
          </th>
          <th scope="col" className="figure">
            Attached
          </th>
        </tr>
      </thead>
      <tbody>
        {workers.map((worker) => (
          <tr key={worker.id}>
            <th scope="row" className="whitespace-nowrap">
              {worker.name}
            </th>
            <td>
              <Badge tone={TONES[worker.state]}>{worker.state}</Badge>
            </td>
            {withDevice && (
              <td className="min-w-44">
                <DeviceName device={worker.device} />
              </td>
            )}
            <td>{worker.host}</td>
            <td>{worker.version}</td>
            <td className="figure text-muted">
              <Ago date={worker.lastHeartbeatAt} />
            </td>
            <td className="figure text-muted">
              <Ago date={worker.attachedAt} />
            </td>
          </tr>
        ))}
      </tbody>
    </TablePanel>
  );
}
