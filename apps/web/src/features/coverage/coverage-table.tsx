import type { Coverage, CoverageCell } from '@tilemark/core';
import { DeviceName } from '@/features/devices/device-name';
import { TextLink } from '@/ui/button';
import { formatCount } from '@/ui/format';
import { TablePanel } from '@/ui/table';

/** What can be said of the runs of a cell, with the colour of its part of the bar. */
export const PARTS = [
  ['done', 'bg-accent'],
  ['failed', 'bg-rose'],
  ['running', 'bg-blue'],
  ['stale', 'bg-amber'],
  ['never', 'bg-line-strong'],
] as const;

/** Devices against standing suites. */
export function CoverageTable({ coverage: { suites, devices } }: { coverage: Coverage }) {
  return (
    <TablePanel caption="Coverage">
      <thead>
        <tr>
          <th scope="col">Device</th>
          {suites.map(({ id, title }) => (
            <th key={id} scope="col">
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {devices.map(({ device, cells }) => (
          <tr key={device.key}>
            <th scope="row" className="min-w-44">
              <DeviceName device={device} />
            </th>
            {suites.map(({ id }) => (
              <td key={id} className="min-w-28">
                <Cell device={device.key} cell={cells.find(({ suite }) => suite === id)} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </TablePanel>
  );
}

/** The form for one cell: its suite at the sizes that are counted, on its device. */
const cellHref = (device: string, { suite, params }: CoverageCell): string => {
  const sizes = Object.entries(params).map(([name, value]) => [name, String(value)]);
  return `/sweeps/new?${new URLSearchParams([['suite', suite], ...sizes, ['device', device]])}`;
};

function Cell({ device, cell }: { device: string; cell: CoverageCell | undefined }) {
  if (!cell) {
    return (
      <span className="text-muted" title="This suite does not stand for devices of this class.">
        –
      </span>
    );
  }
  return (
    <>
      <span aria-hidden="true" className="mb-1 flex h-1.5 gap-px bg-surface">
        {PARTS.filter(([part]) => cell[part] > 0).map(([part, color]) => (
          <span
            key={part}
            className={color}
            style={{ width: `${(cell[part] / cell.total) * 100}%` }}
          />
        ))}
      </span>
      <span className="block text-xs whitespace-nowrap">
        <TextLink href={cellHref(device, cell)} title="Run this again, at these sizes">
          {cellText(cell)}
        </TextLink>
      </span>
      <span className="block text-xs whitespace-nowrap text-muted">{sizesText(cell)}</span>
    </>
  );
}

/** The sizes at which a suite is counted, `n = 2048`; of one that has none to choose, its own. */
export const sizesText = ({ params }: Pick<CoverageCell, 'params'>): string =>
  Object.entries(params)
    .map(([name, value]) => `${name} = ${value}`)
    .join(', ') || 'its own sizes';

/** `12 done`, `10 done, 2 stale`. */
export const cellText = (cell: CoverageCell): string =>
  PARTS.filter(([part]) => cell[part] > 0)
    .map(([part]) => `${formatCount(cell[part])} ${part}`)
    .join(', ') || 'nothing to run';
