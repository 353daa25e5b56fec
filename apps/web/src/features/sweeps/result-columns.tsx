import {
  createColumnHelper,
  createPaginatedRowModel,
  createSortedRowModel,
  rowPaginationFeature,
  rowSortingFeature,
  sortFn_alphanumeric,
  tableFeatures,
} from '@tanstack/react-table';
import type { Occupancy } from '@tilemark/core';
import { TextLink } from '@/ui/button';
import {
  formatIntensity,
  formatInterval,
  formatNs,
  formatPercent,
  formatRate,
  formatSpeedup,
} from '@/ui/format';
import { deviceHref, shortDeviceName } from '../devices/device-name';
import { OutcomeBadge } from '../results/outcome';
import { VariantLink } from '../results/variant-link';
import type { Row } from './row';

/** A row with what only its neighbours or its device tell. */
export interface TableRow extends Row {
  readonly speedup: number | undefined;
  readonly occupancy: Occupancy | undefined;
}

export const features = tableFeatures({
  rowSortingFeature,
  rowPaginationFeature,
  sortedRowModel: createSortedRowModel(),
  paginatedRowModel: createPaginatedRowModel(),
  sortFns: { alphanumeric: sortFn_alphanumeric },
});

const helper = createColumnHelper<typeof features, TableRow>();

/** Figures sort from the best down, words from A; what has no figure stays last. */
const figure = { sortUndefined: 'last', sortFn: 'auto' } as const;
const words = { sortFn: 'alphanumeric', sortDescFirst: false } as const;

export const COLUMNS = helper.columns([
  helper.accessor('address', {
    id: 'variant',
    header: 'Variant',
    ...words,
    cell: ({ row: { original } }) => <VariantCell row={original} />,
  }),
  helper.accessor((row) => row.size, {
    id: 'problem',
    header: 'Problem',
    ...figure,
    sortDescFirst: false,
    cell: ({ row: { original } }) => (
      <span className="whitespace-nowrap">
        {original.op} {original.shape} <span className="text-muted">{original.dtype}</span>
        {original.flopPerByte > 0 && (
          <span className="block text-xs text-muted" title="Arithmetic intensity of the problem">
            {formatIntensity(original.flopPerByte)}
          </span>
        )}
      </span>
    ),
  }),
  helper.accessor((row) => row.rate ?? undefined, {
    id: 'rate',
    header: 'Rate (higher is better)',
    ...figure,
    sortDescFirst: true,
    cell: ({ row: { original } }) =>
      original.rate !== null && (
        <>
          <span className="font-medium">{formatRate(original.rate)}</span>{' '}
          <span className="text-xs text-muted">{original.unit}</span>
        </>
      ),
  }),
  helper.accessor((row) => row.medianNs ?? undefined, {
    id: 'median',
    header: 'Median',
    ...figure,
    sortDescFirst: false,
    cell: ({ row: { original } }) => <MedianCell row={original} />,
  }),
  helper.accessor((row) => row.roof?.share, {
    id: 'roof',
    header: 'Of the roof',
    ...figure,
    sortDescFirst: true,
    cell: ({ row: { original } }) => <RoofCell row={original} />,
  }),
  helper.accessor('speedup', {
    id: 'speedup',
    header: 'Over naive',
    ...figure,
    sortDescFirst: true,
    cell: ({ getValue }) => {
      const value = getValue();
      return value === undefined ? '–' : formatSpeedup(value);
    },
  }),
  helper.accessor((row) => row.occupancy?.part, {
    id: 'occupancy',
    header: 'Occupancy',
    ...figure,
    sortDescFirst: true,
    cell: ({ row: { original } }) => <OccupancyCell of={original.occupancy} />,
  }),
  helper.accessor('kind', {
    id: 'outcome',
    header: 'Outcome',
    ...words,
    cell: ({ row: { original } }) => <OutcomeBadge kind={original.kind} />,
  }),
  helper.accessor((row) => row.device.name, {
    id: 'device',
    header: 'Device',
    ...words,
    cell: ({ row: { original } }) => (
      <TextLink
        href={deviceHref(original.device.key)}
        prefetch={false}
        className="inline-block max-w-52 truncate align-bottom"
        title={original.device.name}
      >
        {shortDeviceName(original.device.name)}
      </TextLink>
    ),
  }),
  helper.accessor('profile', { id: 'profile', header: 'Profile', ...words }),
]);

export const FIGURES: ReadonlySet<string> = new Set([
  'median',
  'occupancy',
  'rate',
  'roof',
  'speedup',
]);

/** What each column is called where columns are chosen. */
export const COLUMN_NAMES = {
  variant: 'Variant',
  problem: 'Problem',
  rate: 'Rate',
  median: 'Median',
  roof: 'Of the roof',
  speedup: 'Over naive',
  occupancy: 'Occupancy',
  outcome: 'Outcome',
  device: 'Device',
  profile: 'Profile',
} as const;
export type ColumnId = keyof typeof COLUMN_NAMES;
export const COLUMN_IDS = Object.keys(COLUMN_NAMES) as ColumnId[];

/**
 * The columns shown unless others are chosen: those that say something. A device or
 * profile that all rows share is said once, above the table.
 */
export function usualColumns(rows: readonly TableRow[]): ColumnId[] {
  const isOne = (read: (row: TableRow) => string) => new Set(rows.map(read)).size <= 1;
  const silent = new Set<ColumnId>([
    ...(rows.some(({ occupancy }) => occupancy) ? [] : (['occupancy'] as const)),
    ...(rows.some(({ speedup }) => speedup !== undefined) ? [] : (['speedup'] as const)),
    ...(isOne(({ device }) => device.key) ? (['device'] as const) : []),
    ...(isOne(({ profile }) => profile) ? (['profile'] as const) : []),
  ]);
  return COLUMN_IDS.filter((id) => !silent.has(id));
}

function VariantCell({ row }: { row: Row }) {
  return (
    <div className="min-w-44 sm:min-w-60">
      <VariantLink address={row.address} resultId={row.resultId} />
      {row.rate !== null && row.medianNs !== null && (
        // On a phone the figures' own columns are out of sight.
        <p aria-hidden="true" className="sm:hidden">
          {formatRate(row.rate)} {row.unit}, {formatNs(row.medianNs)}
        </p>
      )}
      {row.kind !== 'measured' && (
        <p aria-hidden="true" className="sm:hidden">
          {row.kind}
        </p>
      )}
      {row.reason && <p className="max-w-prose text-xs break-words text-muted">{row.reason}</p>}
    </div>
  );
}

/** The part of the roof, and which roof it is. */
function RoofCell({ row: { medianNs, roof } }: { row: Row }) {
  if (medianNs === null) return null;
  if (!roof) return '–';
  return (
    <>
      {formatPercent(roof.share)}
      <span className="block text-xs text-muted">{roof.bound}</span>
    </>
  );
}

/** Theoretical: registers, which WebGPU does not tell, may allow less. */
function OccupancyCell({ of }: { of: Occupancy | undefined }) {
  if (!of) return '–';
  return (
    <span
      title={`${of.activeSubgroups} of ${of.maxSubgroups} warps a multiprocessor, in theory; limited by ${of.limitedBy}`}
    >
      {formatPercent(of.part)}
    </span>
  );
}

function MedianCell({ row: { highNs, lowNs, medianNs } }: { row: Row }) {
  if (medianNs === null || lowNs === null || highNs === null) return null;
  return (
    <>
      {formatNs(medianNs)}{' '}
      <span className="text-xs text-muted">{formatInterval(medianNs, lowNs, highNs)}</span>
    </>
  );
}
