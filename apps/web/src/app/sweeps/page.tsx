import { sweepFilterSchema } from '@tilemark/core';
import { isCeiling } from '@tilemark/kernels';
import type { Metadata } from 'next';
import { z } from 'zod';
import { ProgressBar, StatusBadge } from '@/features/sweeps/progress';
import { BudgetBar, searchedText } from '@/features/sweeps/tuning';
import { etagOf } from '@/server/etag';
import { readable, visitor } from '@/server/session/visitor';
import { ButtonLink, TextLink } from '@/ui/button';
import { Ago, Moment, Rate } from '@/ui/facts';
import { InputField, SelectField } from '@/ui/field';
import { formatCount, formatDuration } from '@/ui/format';
import { Live } from '@/ui/live';
import { Empty } from '@/ui/notice';
import { PageHeader } from '@/ui/page';
import { parseQuery, type SearchParams, searchObject } from '@/ui/query';
import { QueryForm } from '@/ui/query-form';
import { DataTable, NextPage } from '@/ui/table';

export const metadata: Metadata = { title: 'Sweeps' };

const querySchema = sweepFilterSchema.extend({ cursor: z.string().max(500).optional() });

export default async function SweepsPage({ searchParams }: { searchParams: SearchParams }) {
  const { store } = await readable();
  const { query } = parseQuery(querySchema, searchObject(await searchParams));
  const { cursor, ...filter } = query;
  const page = await store.sweeps.list(cursor, filter, await visitor());
  const fastest = await store.sweeps.fastest(page.items.map(({ id }) => id));
  /** Sweeps of one name are told apart by their times. */
  const isRepeated = (name: string) => page.items.filter((each) => each.name === name).length > 1;
  const isFiltered = Object.values(filter).some((value) => value !== undefined);

  return (
    <>
      <PageHeader
        title="Sweeps"
        actions={
          <>
            <Live
              source={`/api/v1/sweeps?${new URLSearchParams(searchObject(query))}`}
              etag={etagOf(page)}
            />
            <ButtonLink href="/add#import">Import results</ButtonLink>
            <ButtonLink href="/sweeps/new" look="primary">
              New sweep
            </ButtonLink>
          </>
        }
      >
        All sweeps of this grid, newest first. A sweep measures kernels, each with some values of
        its tunables, on shapes and devices.
      </PageHeader>
      {(page.items.length > 0 || isFiltered) && (
        <div className="mb-4">
          <QueryForm label="Sweeps to list">
            <InputField
              {...{ id: 'find', name: 'find', label: 'Find', type: 'search' }}
              defaultValue={filter.find}
              placeholder="name or suite"
            />
            <SelectField
              {...{ id: 'state', name: 'state', label: 'Status' }}
              defaultValue={filter.state ?? ''}
              options={[
                ['', 'all'],
                ['open', 'waiting or running'],
                ['failed', 'with failed runs'],
                ...['done', 'cancelled', 'imported'],
              ]}
            />
          </QueryForm>
        </div>
      )}
      {page.items.length === 0 && isFiltered ? (
        <Empty title="No sweep matches">
          <TextLink href="/sweeps">All sweeps</TextLink>
        </Empty>
      ) : page.items.length === 0 ? (
        <Empty title="No sweeps yet">
          <p>
            A sweep runs the kernels and tunables you choose on the problems and devices you choose.
          </p>
          <ButtonLink href="/sweeps/new?suite=starter" look="primary">
            Start with the starter suite
          </ButtonLink>
        </Empty>
      ) : (
        <DataTable
          caption="Sweeps"
          rows={page.items}
          keyOf={({ id }) => id}
          columns={[
            {
              head: 'Sweep',
              className: 'min-w-44',
              cell: ({ createdAt, id, isImported, measuredAt, name, suite }) => (
                <>
                  <TextLink href={`/sweeps/${id}`}>{name}</TextLink>
                  {suite && (
                    <span className="ml-2 font-normal text-xs whitespace-nowrap text-muted">
                      {suite}
                    </span>
                  )}
                  {(isImported || isRepeated(name)) && (
                    <span className="block font-normal text-xs text-muted">
                      {isImported ? 'imported, measured' : 'submitted'}{' '}
                      <Moment date={measuredAt ?? createdAt} />
                    </span>
                  )}
                </>
              ),
            },
            {
              head: 'Status',
              cell: ({ counts, status, tuning }) => (
                <StatusBadge status={status} counts={counts} tuning={tuning} />
              ),
            },
            {
              head: 'Progress',
              className: 'min-w-32',
              cell: ({ counts, name, tuning }) =>
                tuning ? (
                  <>
                    <BudgetBar tuning={tuning} label={`Time used by ${name}`} />
                    {'suite' in tuning && (
                      <span className="text-xs text-muted">{searchedText(tuning)}</span>
                    )}
                  </>
                ) : (
                  <ProgressBar counts={counts} label={`Progress of ${name}`} />
                ),
            },
            { head: 'Runs', isFigure: true, cell: ({ counts }) => formatCount(counts.total) },
            {
              head: 'Fastest run',
              isFigure: true,
              cell: ({ id }) =>
                fastest.get(id)?.map(({ isRanked, kernel, rate, unit }) => (
                  <span key={unit} className="block">
                    <Rate of={{ value: rate, unit }} />
                    {isCeiling(kernel) && <span className="block text-xs text-muted">a copy</span>}
                    {!isRanked && <span className="block text-xs text-muted">not ranked</span>}
                  </span>
                )) ?? '–',
            },
            {
              head: 'Failed or incorrect',
              isFigure: true,
              cell: ({ counts: { failed, incorrect } }) =>
                failed + incorrect > 0 ? (
                  <span className="text-amber">{formatCount(failed + incorrect)}</span>
                ) : (
                  '0'
                ),
            },
            {
              head: 'Duration',
              isFigure: true,
              className: 'text-muted',
              // A file says nothing of how long its runs took together.
              cell: ({ finishedAt, isImported, startedAt }) =>
                finishedAt === null || startedAt === null || isImported
                  ? '–'
                  : formatDuration((Date.parse(finishedAt) - Date.parse(startedAt)) / 1_000),
            },
            { head: 'By', className: 'whitespace-nowrap', cell: ({ createdBy }) => createdBy },
            {
              head: 'Age',
              isFigure: true,
              className: 'text-muted',
              cell: ({ createdAt }) => <Ago date={createdAt} />,
            },
          ]}
        />
      )}
      {page.items.length > 0 && (
        <p className="mt-3 text-[0.8125rem] text-muted">
          Fastest run: ranked ones first. Duration: first start to last end, other sweeps’ runs
          included.
        </p>
      )}
      <NextPage cursor={page.nextCursor} path="/sweeps" query={searchObject(filter)} />
    </>
  );
}
