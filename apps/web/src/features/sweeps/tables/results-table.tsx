'use client';

import { type SortingState, useTable } from '@tanstack/react-table';
import type { RunView } from '@tilemark/core';
import { shapeText } from '@tilemark/kernels';
import { useMemo } from 'react';
import { Chip, InlineField, Input, Select } from '@/ui/field';
import { formatCount } from '@/ui/format';
import { Notes } from '@/ui/note';
import { Pager, pagingOf } from '@/ui/pager';
import { TablePanel } from '@/ui/table';
import { useQuery } from '@/ui/use-query';
import type { DeviceFacts } from '../load';
import { fastestFirst, policyText, problemText } from '../runs';
import { COLUMNS, features, TABLE_COLUMNS, usualColumns } from './result-columns';
import { overPeakNotes, sharedReason, tableRuns } from './table-runs';

const OUTCOMES = ['running', 'measured', 'skipped', 'incorrect', 'failed', 'pending'] as const;
const FIGURES = new Set(COLUMNS.flatMap(({ id, isFigure }) => (isFigure ? id : [])));

/** On a phone the variant's cell says what the others do. */
const classOf = (id: string): string =>
  `${FIGURES.has(id) ? 'figure' : ''} ${id === 'variant' ? '' : 'max-sm:hidden'}`;

const parseSorting = (text: string | null): SortingState => {
  const [id, direction] = (text ?? '').split('.');
  const known = COLUMNS.some((column) => column.id === id);
  return id && known ? [{ id, desc: direction === 'desc' }] : [];
};

/** The runs of a sweep; sorting, filters, columns and page are in the address. */
export function ResultsTable({
  runs,
  devices,
  isOver,
}: {
  runs: readonly RunView[];
  devices: readonly DeviceFacts[];
  /** Unless asked otherwise, the fastest come first then; before, runs stay where they are. */
  isOver: boolean;
}) {
  const [query, setQuery] = useQuery();
  const outcome = OUTCOMES.find((each) => each === query.get('outcome')) ?? null;
  const words = (query.get('find') ?? '').slice(0, 200);
  const sorting = useMemo(() => parseSorting(query.get('sort')), [query]);
  const all = useMemo(() => {
    const rows = tableRuns(runs, devices);
    return isOver ? fastestFirst(rows) : rows;
  }, [runs, devices, isOver]);
  const data = useMemo(
    () =>
      all.filter(({ run }) => (outcome === null || run.kind === outcome) && matches(run, words)),
    [all, outcome, words],
  );
  const usual = useMemo(() => usualColumns(all), [all]);
  const asked = query.get('columns');
  const shown = useMemo(() => parseColumns(asked) ?? usual, [asked, usual]);
  const columns = useMemo(
    () => TABLE_COLUMNS.filter(({ id }) => shown.some((each) => each === id)),
    [shown],
  );

  const paging = pagingOf(query, 'page', data.length);

  const table = useTable({
    features,
    columns,
    data,
    getRowId: ({ run }) => run.runId,
    state: { sorting, pagination: { pageIndex: paging.index, pageSize: paging.size } },
    autoResetPageIndex: false,
    onSortingChange: (update) => {
      const [first] = typeof update === 'function' ? update(sorting) : update;
      setQuery({ sort: first ? `${first.id}.${first.desc ? 'desc' : 'asc'}` : null, page: null });
    },
  });

  const toggle = (id: string) => {
    const next = COLUMNS.map((each) => each.id).filter(
      (each) => shown.includes(each) !== (each === id),
    );
    setQuery({ columns: next.join() === usual.join() ? null : next.join() });
  };

  return (
    <>
      <div className="mb-2 flex flex-wrap items-center gap-x-4 gap-y-2 text-[0.8125rem]">
        <InlineField id="find" label="Find">
          <Input
            id="find"
            type="search"
            className="!w-44"
            placeholder="TILE=16 512"
            value={words}
            onChange={(event) => setQuery({ find: event.target.value || null, page: null })}
          />
        </InlineField>
        <InlineField id="outcome" label="Outcome">
          <Select
            id="outcome"
            className="!w-auto"
            value={outcome ?? ''}
            onChange={(event) => setQuery({ outcome: event.target.value || null, page: null })}
            options={[['', 'all'], ...OUTCOMES]}
          />
        </InlineField>
        <span className="text-muted" aria-live="polite">
          {formatCount(data.length)} {data.length === 1 ? 'run' : 'runs'}
          {sharedText(runs, shown)}
        </span>
        {/* On a phone the variant's cell says what other columns would. */}
        <details className="ml-auto open:w-full max-sm:hidden">
          <summary className="text-right text-muted">Columns</summary>
          <fieldset className="mt-2 flex flex-wrap gap-1.5">
            <legend className="sr-only">Columns shown</legend>
            {COLUMNS.filter(({ id }) => id !== 'variant').map(({ id, name }) => (
              <Chip key={id} checked={shown.includes(id)} onChange={() => toggle(id)}>
                {name}
              </Chip>
            ))}
          </fieldset>
        </details>
      </div>
      <TablePanel caption="Results of the sweep" wraps>
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
                    className={classOf(header.column.id)}
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
            <tr
              key={row.id}
              className={row.original.run.kind === 'running' ? '!bg-accent-soft' : ''}
            >
              {row.getAllCells().map((cell) => (
                <td key={cell.id} className={classOf(cell.column.id)}>
                  <table.FlexRender cell={cell} />
                </td>
              ))}
            </tr>
          ))}
          {data.length === 0 && (
            <tr>
              <td colSpan={columns.length} className="!py-6 text-center text-muted">
                {outcome || words
                  ? 'No runs match these filters.'
                  : 'The sweep was cancelled before a run began.'}
              </td>
            </tr>
          )}
        </tbody>
      </TablePanel>
      {shown.includes('roof') && (
        // On a phone each row says its own.
        <div className="max-sm:hidden">
          <Notes of={overPeakNotes(runs)} />
        </div>
      )}
      <Pager of="results" paging={paging} />
    </>
  );
}

/** Whether every word occurs in what the run says of itself. */
function matches(run: RunView, words: string): boolean {
  const { address, device, policy, problem, profile, reason } = run;
  const names = [device.name, profile, policyText(policy, 'run')];
  const text = [address, problemText(problem), shapeText(problem), ...names, reason]
    .join(' ')
    .toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** Null: none were chosen. The variant is always shown: it names the row. */
function parseColumns(text: string | null): string[] | null {
  if (text === null) return null;
  const asked = text.split(',');
  return COLUMNS.map(({ id }) => id).filter((id) => id === 'variant' || asked.includes(id));
}

/** What all runs share and no column says. */
function sharedText([first, ...others]: readonly RunView[], shown: readonly string[]): string {
  if (!first) return '';
  const isShared = (read: (run: RunView) => string) =>
    others.every((run) => read(run) === read(first));
  const parts = [
    !shown.includes('problem') &&
      isShared(({ problem }) => problemText(problem)) &&
      problemText(first.problem),
    !shown.includes('device') && isShared(({ device }) => device.key) && `on ${first.device.name}`,
    !shown.includes('profile') &&
      isShared(({ profile }) => profile) &&
      `under profile ${first.profile}`,
    sharedReason([first, ...others]),
  ].filter(Boolean);
  return parts.length > 0 ? `, ${others.length > 0 ? 'all ' : ''}${parts.join(', ')}` : '';
}
