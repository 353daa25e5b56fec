import { sum } from 'd3-array';
import type { Metadata } from 'next';
import { z } from 'zod';
import { CoverageTable } from '@/features/coverage/coverage-table';
import { etagOf } from '@/server/etag';
import { recentCoverage } from '@/server/services';
import { readable, visitor } from '@/server/session/visitor';
import { Action } from '@/ui/action';
import { ButtonLink } from '@/ui/button';
import { plural } from '@/ui/format';
import { Live } from '@/ui/live';
import { Empty } from '@/ui/notice';
import { PageHeader } from '@/ui/page';
import { parseQuery, type SearchParams } from '@/ui/query';

export const metadata: Metadata = { title: 'Coverage' };

const querySchema = z.object({ rows: z.literal('all').optional() });

export default async function CoveragePage({ searchParams }: { searchParams: SearchParams }) {
  const { query } = parseQuery(querySchema, await searchParams);
  const [coverage, user] = await Promise.all([recentCoverage(await readable()), visitor()]);
  const served = coverage.devices.filter(({ workers }) => workers > 0);
  const stale = sum(
    served.flatMap((row) => row.cells),
    (cell) => cell.stale,
  );

  return (
    <>
      <PageHeader
        title="Coverage"
        actions={
          <>
            <Live source="/api/v1/coverage" etag={etagOf(coverage)} />
            {user?.role === 'admin' && stale > 0 && (
              <Action
                url="/api/v1/coverage/refresh"
                body={{ device: null, suite: null }}
                next="/sweeps"
                look="plain"
              >
                {`Refresh ${plural(stale, 'stale run')}`}
              </Action>
            )}
          </>
        }
      >
        How much of the standard suites each device has run, at the sizes that count. They run by
        themselves while a worker has nothing else to do. A run is stale once its source or the
        protocol has changed.
      </PageHeader>
      {coverage.devices.length > 0 ? (
        <CoverageTable coverage={coverage} isAll={query.rows === 'all'} />
      ) : (
        <Empty title="No device has been attached yet">
          <p>Every new device gets the standard suites immediately.</p>
          <ButtonLink href="/add" look="primary">
            Attach a worker
          </ButtonLink>
        </Empty>
      )}
    </>
  );
}
