'use client';

import type { Published, RunShown } from '@tilemark/core';
import { shapeText } from '@tilemark/kernels';
import { useMemo } from 'react';
import { InputField, SelectField } from '@/ui/field';
import { plural } from '@/ui/format';
import { Pager, pagingOf } from '@/ui/pager';
import { DataTable } from '@/ui/table';
import { useQuery } from '@/ui/use-query';
import { fastestFirst, policyText, problemText } from '../runs';
import { columnsFor, sortedBy } from './result-columns';
import { type DeviceFacts, type ResultRow, sharedReason, tableRuns } from './table-runs';

/** Of a page, unless they are those of a report's table: the charts below are in sight soon. */
const ROWS = 8;

/** The runs of a sweep; order, words to find and page are in the address. */
export function ResultsTable({
  runs,
  devices,
  report,
  isOver,
  isSearch,
}: {
  runs: readonly RunShown[];
  devices: readonly DeviceFacts[];
  /** What the sweep's suite reproduces. */
  report: Published | null;
  /** The fastest come first then, unless a report has an order; before, runs stay where they are. */
  isOver: boolean;
  /** Of a search the fastest come first from the beginning. */
  isSearch: boolean;
}) {
  const [query, setQuery] = useQuery();
  const isBestFirst = isSearch || (isOver && !report);
  const words = (query.get('find') ?? '').slice(0, 200);
  const all = useMemo(() => {
    const rows = tableRuns(runs, devices, report);
    return isBestFirst ? fastestFirst(rows) : rows;
  }, [runs, devices, report, isBestFirst]);
  const columns = useMemo(() => columnsFor(all), [all]);
  const sorted = columns.find(({ id }) => id === query.get('sort'));
  const rows = useMemo(() => {
    const matching = all.filter((row) => matches(row, words));
    return sorted ? sortedBy(matching, sorted) : matching;
  }, [all, words, sorted]);
  const paging = pagingOf(query, 'page', rows.length, report ? undefined : ROWS);
  const from = paging.index * paging.size;

  return (
    <>
      <div className="mb-2 flex flex-wrap items-end gap-x-4 gap-y-2 text-[0.8125rem]">
        <InputField
          id="find"
          label="Find"
          type="search"
          placeholder="TILE=16 failed"
          value={words}
          onChange={(event) => setQuery({ find: event.target.value || null, page: null })}
        />
        <SelectField
          id="sort"
          label="Sort by"
          value={sorted?.id ?? ''}
          onChange={(event) => setQuery({ sort: event.target.value || null, page: null })}
          options={[
            ['', isBestFirst ? 'best first' : 'order of the sweep'],
            ...columns.map(({ id, name }) => [id, name(all)] as const),
          ]}
        />
        <span className="py-1.5 text-muted" aria-live="polite">
          {plural(rows.length, 'run')}
          {sharedText(runs)}
        </span>
      </div>
      <DataTable
        caption="Results of the sweep"
        wraps
        rows={rows.slice(from, from + paging.size)}
        keyOf={({ run }) => run.runId}
        isLit={({ run }) => run.kind === 'running'}
        empty={
          words
            ? 'No run matches.'
            : isOver
              ? 'It ended before a run did.'
              : 'No run has ended yet.'
        }
        columns={columns.map(({ cell, isFigure = false, name }) => ({
          head: name(all),
          isFigure,
          cell,
        }))}
      />
      <Pager of="results" paging={paging} />
    </>
  );
}

/** Whether every word occurs in what the run says of itself. */
function matches({ name, run }: ResultRow, words: string): boolean {
  const { address, device, kind, policy, problem, profile, reason } = run;
  const names = [name, device.name, profile, policyText(policy, 'run')];
  const text = [address, problemText(problem), shapeText(problem), ...names, kind, reason]
    .join(' ')
    .toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** What all runs share, which no row says. */
function sharedText([first, ...others]: readonly RunShown[]): string {
  if (!first) return '';
  const isShared = (read: (run: RunShown) => string) =>
    others.every((run) => read(run) === read(first));
  const parts = [
    isShared(({ problem }) => problemText(problem)) && problemText(first.problem),
    isShared(({ device }) => device.key) && `on ${first.device.name}`,
    isShared(({ profile }) => profile) && `under profile ${first.profile}`,
    sharedReason([first, ...others]),
  ].filter(Boolean);
  return parts.length > 0 ? `, ${others.length > 0 ? 'all ' : ''}${parts.join(', ')}` : '';
}
