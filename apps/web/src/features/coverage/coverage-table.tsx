/** Coverage: devices against standard suites, and what is missing or stale. */
import type { Coverage, CoverageCell } from '@tilemark/core';
import { DeviceName } from '@/features/devices/device-name';
import { TextLink } from '@/ui/button';
import { formatCount } from '@/ui/format';
import { DataTable } from '@/ui/table';

/** States of a cell's runs, with their colours in the bar. */
export const PARTS = [
  ['done', 'bg-accent'],
  ['failed', 'bg-rose'],
  ['running', 'bg-blue'],
  ['stale', 'bg-amber'],
  ['never', 'bg-line-strong'],
] as const;

export function CoverageTable({ coverage: { suites, devices } }: { coverage: Coverage }) {
  return (
    <DataTable
      caption="Coverage"
      rows={devices}
      keyOf={({ device }) => device.key}
      columns={[
        {
          head: 'Device',
          className: 'min-w-44',
          cell: ({ device }) => <DeviceName device={device} />,
        },
        ...suites.map(({ id, title }) => ({
          head: title,
          className: 'min-w-28',
          cell: ({ cells, device }: Coverage['devices'][number]) => (
            <Cell device={device.key} cell={cells.find(({ suite }) => suite === id)} />
          ),
        })),
      ]}
    />
  );
}

/** The form for one cell: its suite at the counted sizes, on its device. */
const cellHref = (device: string, { suite, params }: CoverageCell): string => {
  const sizes = Object.entries(params).map(([name, value]) => [name, String(value)]);
  return `/sweeps/new?${new URLSearchParams([['suite', suite], ...sizes, ['device', device]])}`;
};

function Cell({ device, cell }: { device: string; cell: CoverageCell | undefined }) {
  if (!cell) {
    return (
      <span className="text-muted" title="This suite does not apply to devices of this class.">
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

/** The sizes at which a suite is counted, `n = 2048`, or `fixed sizes`. */
export const sizesText = ({ params }: Pick<CoverageCell, 'params'>): string =>
  Object.entries(params)
    .map(([name, value]) => `${name} = ${value}`)
    .join(', ') || 'fixed sizes';

/** `12 done`, `10 done, 2 stale`. */
export const cellText = (cell: CoverageCell): string =>
  PARTS.filter(([part]) => cell[part] > 0)
    .map(([part]) => `${formatCount(cell[part])} ${part}`)
    .join(', ') || 'nothing to run';
