'use client';

import {
  createColumnHelper,
  createPaginatedRowModel,
  createSortedRowModel,
  rowPaginationFeature,
  rowSortingFeature,
  type SortingState,
  sortFn_alphanumeric,
  tableFeatures,
  useTable,
} from '@tanstack/react-table';
import { useMemo } from 'react';
import { Button, TextLink } from '@/ui/button';
import { Select } from '@/ui/field';
import {
  formatCount,
  formatIntensity,
  formatInterval,
  formatNs,
  formatPercent,
  formatRate,
  formatSpeedup,
} from '@/ui/format';
import { TablePanel } from '@/ui/table';
import { useQuery } from '@/ui/use-query';
import { deviceHref, shortDeviceName } from '../devices/device-name';
import { OutcomeBadge } from '../results/outcome';
import { VariantLink } from '../results/variant-link';
import { type Row, speedups } from './row';

const PAGE_SIZE = 100;
const OUTCOMES = ['measured', 'skipped', 'incorrect', 'failed', 'pending'] as const;

interface TableRow extends Row {
  readonly speedup: number | undefined;
}

const features = tableFeatures({
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

const columns = helper.columns([
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
        <span className="block text-xs text-muted" title="Arithmetic intensity of the problem">
          {formatIntensity(original.flopPerByte)}
        </span>
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
    header: 'Over naive',
    ...figure,
    sortDescFirst: true,
    cell: ({ getValue }) => {
      const value = getValue();
      return value === undefined ? '–' : formatSpeedup(value);
    },
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
  helper.accessor('profile', { header: 'Profile', ...words }),
]);

const FIGURES = new Set(['median', 'rate', 'roof', 'speedup']);

const parseSorting = (text: string | null): SortingState => {
  const [id, direction] = (text ?? '').split('.');
  const known = columns.some((column) => column.id === id) || id === 'profile' || id === 'speedup';
  return id && known ? [{ id, desc: direction === 'desc' }] : [];
};

/** The runs of a sweep; sorting, filter and page are in the address. */
export function ResultsTable({ rows }: { rows: readonly Row[] }) {
  const [query, setQuery] = useQuery();
  const outcome = OUTCOMES.find((each) => each === query.get('outcome')) ?? null;
  const sorting = useMemo(() => parseSorting(query.get('sort')), [query]);

  const data = useMemo<TableRow[]>(() => {
    const ratios = speedups(rows);
    return rows
      .filter((row) => outcome === null || row.kind === outcome)
      .map((row) => ({ ...row, speedup: ratios.get(row.runId) }));
  }, [rows, outcome]);

  const pages = Math.max(1, Math.ceil(data.length / PAGE_SIZE));
  const pageIndex = Math.min(pages, Math.max(1, Number(query.get('page')) || 1)) - 1;

  const table = useTable({
    features,
    columns,
    data,
    getRowId: (row) => row.runId,
    state: { sorting, pagination: { pageIndex, pageSize: PAGE_SIZE } },
    autoResetPageIndex: false,
    onSortingChange: (update) => {
      const [first] = typeof update === 'function' ? update(sorting) : update;
      setQuery({ sort: first ? `${first.id}.${first.desc ? 'desc' : 'asc'}` : null, page: null });
    },
  });

  return (
    <>
      <div className="mb-2 flex items-center gap-2 text-[0.8125rem]">
        <label htmlFor="outcome" className="text-muted">
          Outcome
        </label>
        <Select
          id="outcome"
          className="!w-auto"
          value={outcome ?? ''}
          onChange={(event) => setQuery({ outcome: event.target.value || null, page: null })}
        >
          <option value="">all</option>
          {OUTCOMES.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </Select>
        <span className="text-muted" aria-live="polite">
          {formatCount(data.length)} {data.length === 1 ? 'run' : 'runs'}
        </span>
      </div>
      <TablePanel caption="Results of the sweep">
        <thead>
          {table.getHeaderGroups().map((group) => (
            <tr key={group.id}>
              {group.headers.map((header) => {
                const sorted = header.column.getIsSorted();
                return (
                  <th
                    key={header.id}
                    scope="col"
                    aria-sort={
                      sorted === 'asc' ? 'ascending' : sorted === 'desc' ? 'descending' : 'none'
                    }
                    className={FIGURES.has(header.column.id) ? 'figure' : ''}
                  >
                    <button
                      type="button"
                      onClick={header.column.getToggleSortingHandler()}
                      className="inline-flex items-center gap-1 hover:text-ink"
                    >
                      <table.FlexRender header={header} />
                      <span aria-hidden="true" className={sorted ? 'text-accent' : 'opacity-30'}>
                        {sorted === 'asc' ? '↑' : sorted === 'desc' ? '↓' : '↕'}
                      </span>
                    </button>
                  </th>
                );
              })}
            </tr>
          ))}
        </thead>
        <tbody>
          {table.getRowModel().rows.map((row) => (
            <tr key={row.id}>
              {row.getAllCells().map((cell) => (
                <td key={cell.id} className={FIGURES.has(cell.column.id) ? 'figure' : ''}>
                  <table.FlexRender cell={cell} />
                </td>
              ))}
            </tr>
          ))}
          {data.length === 0 && (
            <tr>
              <td colSpan={columns.length} className="!py-6 text-center text-muted">
                {outcome
                  ? 'No run has this outcome.'
                  : 'No run was kept: the sweep was cancelled before one began.'}
              </td>
            </tr>
          )}
        </tbody>
      </TablePanel>
      {pages > 1 && (
        <nav aria-label="Pages of results" className="mt-3 flex items-center gap-3">
          <Button
            disabled={pageIndex === 0}
            onClick={() => setQuery({ page: pageIndex > 1 ? String(pageIndex) : null })}
          >
            Previous
          </Button>
          <span className="text-[0.8125rem] text-muted">
            Page {pageIndex + 1} of {pages}
          </span>
          <Button
            disabled={pageIndex + 1 >= pages}
            onClick={() => setQuery({ page: String(pageIndex + 2) })}
          >
            Next
          </Button>
        </nav>
      )}
    </>
  );
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

function MedianCell({ row: { highNs, lowNs, medianNs } }: { row: Row }) {
  if (medianNs === null || lowNs === null || highNs === null) return null;
  return (
    <>
      {formatNs(medianNs)}{' '}
      <span className="text-xs text-muted">{formatInterval(medianNs, lowNs, highNs)}</span>
    </>
  );
}
