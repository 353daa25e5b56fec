import { sweepFilterSchema } from '@tilemark/core';
import type { Metadata } from 'next';
import { z } from 'zod';
import { ProgressBar, StatusBadge } from '@/features/sweeps/progress';
import { BudgetBar } from '@/features/sweeps/tuning';
import { etagOf } from '@/server/etag';
import { readable, visitor } from '@/server/session/visitor';
import { ButtonLink, TextLink } from '@/ui/button';
import { Ago, Moment } from '@/ui/facts';
import { InputField, SelectField } from '@/ui/field';
import { formatCount } from '@/ui/format';
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
        Kernels measured on shapes and devices, newest first.
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
                  {isImported && (
                    <span className="block font-normal text-xs text-muted">
                      imported, measured <Moment date={measuredAt ?? createdAt} />
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
                  <BudgetBar tuning={tuning} label={`Time used by ${name}`} />
                ) : (
                  <ProgressBar counts={counts} label={`Progress of ${name}`} />
                ),
            },
            { head: 'Runs', isFigure: true, cell: ({ counts }) => formatCount(counts.total) },
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
      <NextPage cursor={page.nextCursor} path="/sweeps" query={searchObject(filter)} />
    </>
  );
}
