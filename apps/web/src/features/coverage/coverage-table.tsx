/** Coverage: devices against standard suites, and what is missing or stale. */
import type { Coverage, CoverageCell } from '@tilemark/core';
import { DEVICE } from '@/features/results/columns';
import { TextLink } from '@/ui/button';
import { formatCount } from '@/ui/format';
import { DataTable } from '@/ui/table';

/** States of a cell's runs. */
const STATES = ['done', 'failed', 'running', 'waiting', 'stale', 'never'] as const;

/** A device has a cell for each suite: more of them make a page slow. */
const MOST_DEVICES = 20;

export function CoverageTable({
  coverage: { suites, devices },
  isAll,
}: {
  coverage: Coverage;
  /** Whether every device is shown, or only the first. */
  isAll: boolean;
}) {
  return (
    <DataTable
      caption="Coverage"
      rows={devices}
      rest={{ noun: 'devices', isAll, allHref: '?rows=all', most: MOST_DEVICES }}
      keyOf={({ device }) => device.key}
      columns={[
        DEVICE,
        {
          head: 'Standard suites',
          className: 'w-full',
          cell: ({ cells, device }) => (
            <ul className="grid grid-cols-[repeat(auto-fill,minmax(8.75rem,1fr))] gap-x-5 gap-y-3">
              {suites.map(({ id, title }) => {
                const cell = cells.find(({ suite }) => suite === id);
                return cell && <Suite key={id} title={title} device={device.key} cell={cell} />;
              })}
            </ul>
          ),
        },
      ]}
    />
  );
}

/** The form for one cell: its suite at the counted sizes, on its device. */
const cellHref = (device: string, { suite, params }: CoverageCell): string => {
  const sizes = Object.entries(params).map(([name, value]) => [name, String(value)]);
  return `/sweeps/new?${new URLSearchParams([['suite', suite], ...sizes, ['device', device]])}`;
};

/** Suites that do not apply to devices of a class are left out. */
function Suite({ title, device, cell }: { title: string; device: string; cell: CoverageCell }) {
  return (
    <li>
      <span className="block text-xs font-medium">{title}</span>
      <span className="block text-xs">
        <TextLink
          href={cellHref(device, cell)}
          title="Run this again, at these sizes"
          aria-label={`${title}: ${cellText(cell)}`}
        >
          {cellText(cell)}
        </TextLink>
      </span>
      <span className="block text-xs text-muted">{sizesText(cell)}</span>
    </li>
  );
}

/** What a value of a parameter, or of one suite's parameter, says of the sizes. */
const SIZE_TEXTS: Readonly<Record<string, (value: number) => string>> = {
  // Rectangular, odd, and skinny shapes too, made from one side.
  'peak.n': (value) => `${value} × ${value} and others`,
  n: (value) => `${value} × ${value}`,
  rows: (value) => `${value} rows`,
  cols: (value) => `${value} columns`,
  largest: (value) => `up to ${value}`,
};

/** The sizes at which a suite is counted, `2048 × 2048`, or `fixed sizes`. */
export const sizesText = ({ suite, params }: Pick<CoverageCell, 'suite' | 'params'>): string =>
  Object.entries(params)
    // Lines break at the comma only.
    .map(([name, value]) => {
      const textOf = SIZE_TEXTS[`${suite}.${name}`] ?? SIZE_TEXTS[name];
      return (textOf?.(value) ?? `${name} = ${value}`).replaceAll(' ', '\u00a0');
    })
    .join(', ') || 'fixed sizes';

/** `12 done`, `10 done, 2 stale`. */
export const cellText = (cell: CoverageCell): string =>
  STATES.filter((state) => cell[state] > 0)
    .map((state) => `${formatCount(cell[state])} ${state}`)
    .join(', ') || 'nothing to run';
