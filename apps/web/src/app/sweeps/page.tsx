import type { Metadata } from 'next';
import { z } from 'zod';
import { ProgressBar, StatusBadge } from '@/features/sweeps/progress';
import { etagOf } from '@/server/etag';
import { readable } from '@/server/session/visitor';
import { ButtonLink, TextLink } from '@/ui/button';
import { Ago } from '@/ui/facts';
import { formatCount, formatDuration } from '@/ui/format';
import { Live } from '@/ui/live';
import { Badge, Empty } from '@/ui/notice';
import { PageHeader } from '@/ui/page';
import { parseQuery, type SearchParams } from '@/ui/query';
import { DataTable, NextPage } from '@/ui/table';

export const metadata: Metadata = { title: 'Sweeps' };

const querySchema = z.object({ cursor: z.string().max(500).optional() });

export default async function SweepsPage({ searchParams }: { searchParams: SearchParams }) {
  const { store } = await readable();
  const { query } = parseQuery(querySchema, await searchParams);
  const page = await store.sweeps.list(query.cursor);

  return (
    <>
      <PageHeader
        title="Sweeps"
        actions={
          <>
            <Live
              source={`/api/v1/sweeps${query.cursor ? `?cursor=${encodeURIComponent(query.cursor)}` : ''}`}
              etag={etagOf(page)}
            />
            <ButtonLink href="/workers#import">Import results</ButtonLink>
            <ButtonLink href="/sweeps/new" look="primary">
              New sweep
            </ButtonLink>
          </>
        }
      >
        Everything submitted to this grid, newest first.
      </PageHeader>
      {page.items.length === 0 ? (
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
              cell: ({ id, name, suite }) => (
                <>
                  <TextLink href={`/sweeps/${id}`}>{name}</TextLink>
                  {suite && <span className="ml-2 font-normal text-xs text-muted">{suite}</span>}
                </>
              ),
            },
            {
              head: 'Status',
              cell: ({ counts, isImported, status }) =>
                isImported ? (
                  <Badge tone="amber">imported</Badge>
                ) : (
                  <StatusBadge status={status} counts={counts} />
                ),
            },
            {
              head: 'Progress',
              className: 'min-w-32',
              cell: ({ counts, name }) => (
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
                  '–'
                ),
            },
            {
              head: 'Took',
              isFigure: true,
              className: 'text-muted',
              // A file says nothing of how long its runs took together.
              cell: ({ createdAt, finishedAt, isImported }) =>
                finishedAt === null || isImported
                  ? '–'
                  : formatDuration((Date.parse(finishedAt) - Date.parse(createdAt)) / 1_000),
            },
            { head: 'By', cell: ({ createdBy }) => createdBy },
            {
              head: 'Age',
              isFigure: true,
              className: 'text-muted',
              cell: ({ createdAt }) => <Ago date={createdAt} />,
            },
          ]}
        />
      )}
      <NextPage cursor={page.nextCursor} path="/sweeps" />
    </>
  );
}
