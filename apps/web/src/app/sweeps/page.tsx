import type { Metadata } from 'next';
import { z } from 'zod';
import { ProgressBar } from '@/features/sweeps/progress';
import { StatusBadge } from '@/features/sweeps/status-badge';
import { etagOf } from '@/server/etag';
import { readable } from '@/server/visitor';
import { Badge } from '@/ui/badge';
import { ButtonLink, TextLink } from '@/ui/button';
import { formatCount } from '@/ui/format';
import { Live } from '@/ui/live';
import { Ago } from '@/ui/moment';
import { NextPage } from '@/ui/next-page';
import { Empty } from '@/ui/notice';
import { PageHeader } from '@/ui/page';
import { parseQuery, type SearchParams } from '@/ui/query';
import { TablePanel } from '@/ui/table';

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
        What was asked of the grid, newest first.
      </PageHeader>
      {page.items.length === 0 ? (
        <Empty title="No sweep has been submitted yet">
          <p>A sweep runs chosen kernels with chosen tunables on chosen problems and devices.</p>
          <ButtonLink href="/sweeps/new?suite=starter" look="primary">
            Start with the starter suite
          </ButtonLink>
        </Empty>
      ) : (
        <TablePanel caption="Sweeps">
          <thead>
            <tr>
              <th scope="col">Sweep</th>
              <th scope="col">Status</th>
              <th scope="col" className="min-w-32">
                Progress
              </th>
              <th scope="col" className="figure">
                Runs
              </th>
              <th scope="col" className="figure">
                Failed, incorrect
              </th>
              <th scope="col">By</th>
              <th scope="col" className="figure">
                Age
              </th>
            </tr>
          </thead>
          <tbody>
            {page.items.map(
              ({ counts, createdAt, createdBy, id, isImported, name, status, suite }) => (
                <tr key={id}>
                  <th scope="row" className="min-w-44">
                    <TextLink href={`/sweeps/${id}`}>{name}</TextLink>
                    {suite && <span className="ml-2 font-normal text-xs text-muted">{suite}</span>}
                  </th>
                  <td>
                    {isImported ? (
                      <Badge tone="amber">imported</Badge>
                    ) : (
                      <StatusBadge status={status} counts={counts} />
                    )}
                  </td>
                  <td>
                    <ProgressBar counts={counts} label={`Progress of ${name}`} />
                  </td>
                  <td className="figure">{formatCount(counts.total)}</td>
                  <td className="figure">
                    {counts.failed + counts.incorrect > 0 ? (
                      <span className="text-amber">
                        {formatCount(counts.failed + counts.incorrect)}
                      </span>
                    ) : (
                      '–'
                    )}
                  </td>
                  <td>{createdBy}</td>
                  <td className="figure text-muted">
                    <Ago date={createdAt} />
                  </td>
                </tr>
              ),
            )}
          </tbody>
        </TablePanel>
      )}
      <NextPage cursor={page.nextCursor} path="/sweeps" />
    </>
  );
}
